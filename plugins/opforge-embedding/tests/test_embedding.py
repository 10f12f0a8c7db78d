"""Tests of Embedding: index types, gradients, graphs and the layer."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opforge import autograd, gluon, nd, sym
from opforge.base.errors import AttributeValueError, ShapeError
from opforge.testing import check_ways

TABLE = np.arange(12.0, dtype="float32").reshape(4, 3)
SIZES = {"input_dim": 4, "output_dim": 3}


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 40),
    st.integers(1, 70),
    st.lists(st.integers(0, 5), min_size=1, max_size=3),
    st.sampled_from(["float16", "float32", "float64", "int32", "int64"]),
    st.sampled_from(["float16", "float32", "float64"]),
    st.integers(0, 2**32 - 1),
)
def test_rows_and_their_gradient(rows, length, shape, kind, dtype, seed):
    rng = np.random.default_rng(seed)
    index = rng.integers(-2, rows + 2, shape)
    table = rng.integers(-8, 8, (rows, length)).astype(dtype)
    head = rng.integers(-8, 8, (*shape, length)).astype(dtype)
    weight = nd.array(table, dtype=dtype)
    weight.attach_grad()
    with autograd.record():
        out = nd.Embedding(nd.array(index, dtype=kind), weight, input_dim=rows, output_dim=length)
    out.backward(nd.array(head, dtype=dtype))
    clipped = index.clip(0, rows - 1)
    assert out.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(out.asnumpy(), table[clipped])
    expected = np.zeros_like(table)
    np.add.at(expected, clipped, head)
    np.testing.assert_array_equal(weight.grad.asnumpy(), expected)


def test_invalid_indices_are_treated_as_in_mxnet():
    def rows_read(*values):
        out = nd.Embedding(nd.array(values, dtype="float64"), nd.array(TABLE), **SIZES)
        return (out.asnumpy()[:, 0] / 3).tolist()

    assert rows_read(0.9, 1.5, -0.5) == [0, 1, 0]
    assert rows_read(-1, 4, 2**31, 2**33) == [0, 3, 3, 3]
    assert all(row in (0, 3) for row in rows_read(np.nan, np.inf, -np.inf, 1e30, -1e300))


def test_gradient_is_added_to_existing_values():
    weight = nd.array(TABLE)
    weight.attach_grad("add")
    for _ in range(2):
        with autograd.record():
            out = nd.Embedding(nd.array([2, 2, 9]), weight, sparse_grad=True, **SIZES)
        out.backward()
    assert weight.grad.asnumpy()[:, 0].tolist() == [0.0, 0.0, 4.0, 2.0]


@pytest.mark.parametrize("name", ["Embedding", "_contrib_SparseEmbedding"])
def test_row_sparse_gradient_holds_the_rows_read(name):
    options = {"sparse_grad": True, **SIZES}
    weight = nd.array(TABLE)
    weight.attach_grad(stype="row_sparse")
    with autograd.record():
        out = getattr(nd, name)(nd.array([[2, 2], [9, -1]]), weight, **options) * 2
    out.backward()
    assert weight.grad.indices.asnumpy().tolist() == [0, 2, 3]
    assert weight.grad.asnumpy()[:, 0].tolist() == [2.0, 0.0, 4.0, 2.0]
    with autograd.record():
        out = getattr(nd, name)(nd.zeros((0,)), weight, **options)
    out.backward()
    assert weight.grad.data.shape[0] == 0


def test_all_execution_paths():
    index = np.array([[0.0, 3.0], [3.0, 1.0]])
    for name in ("Embedding", "_contrib_SparseEmbedding"):
        check_ways(
            lambda F, w, n=name: getattr(F, n)(F.ones_like(F.slice(w, (0, 0), (2, 2))), w, **SIZES),
            [TABLE.astype("float64")],
        )
    out = nd.contrib.SparseEmbedding(nd.array(index), nd.array(TABLE), deterministic=True, **SIZES)
    np.testing.assert_array_equal(out.asnumpy(), TABLE[index.astype(int)])


def test_symbols_infer_the_weight():
    out = sym.Embedding(sym.var("data"), name="e", dtype="float16", **SIZES)
    assert out.list_arguments() == ["data", "e_weight"]
    assert out.infer_shape(data=(5,))[:2] == ([(5,), (4, 3)], [(5, 3)])
    assert out.infer_type(data="int32")[:2] == ([np.int32, np.float16], [np.float16])
    assert '"op": "Embedding"' in out.tojson()


def test_invalid_arguments_are_rejected():
    with pytest.raises(ShapeError, match="'weight'"):
        nd.Embedding(nd.zeros(1), nd.zeros((2, 2)), input_dim=3, output_dim=2)
    with pytest.raises(AttributeValueError, match="input_dim"):
        nd.Embedding(nd.zeros(1), nd.zeros((2, 2)), input_dim=0, output_dim=2)


def test_layer():
    layer = gluon.nn.Embedding(4, 3, prefix="words_")
    layer.initialize()
    assert repr(layer) == "Embedding(4 -> 3, float32)"
    assert repr(gluon.nn.Embedding(4, 3, dtype=np.float16)) == "Embedding(4 -> 3, float16)"
    assert list(layer.collect_params()) == ["words_weight"]
    layer.weight.set_data(nd.array(TABLE))
    index = nd.array([[1, 0], [3, 3]], dtype="int32")
    eager = layer(index).asnumpy()
    np.testing.assert_array_equal(eager, TABLE[index.asnumpy()])
    layer.hybridize()
    np.testing.assert_array_equal(layer(index).asnumpy(), eager)
    layer.cast("float64")
    assert layer(index).dtype == np.float64


@pytest.mark.parametrize("is_hybrid", [False, True])
def test_layer_learns_the_rows_it_reads(is_hybrid):
    layer = gluon.nn.Embedding(4, 2, weight_initializer="zeros", sparse_grad=True)
    layer.initialize()
    if is_hybrid:
        layer.hybridize()
    trainer = gluon.Trainer(layer.collect_params(), "sgd", {"learning_rate": 1.0})
    with autograd.record():
        loss = layer(nd.array([1, 3, 3])).sum()
    loss.backward()
    assert layer.weight.grad().indices.asnumpy().tolist() == [1, 3]
    trainer.step(1)
    assert layer.weight.data().asnumpy()[:, 0].tolist() == [0.0, -1.0, 0.0, -2.0]


@pytest.mark.parametrize("sizes", [(0, 2), (-1, 2), (3, 0), ("a", 2), (2.5, 2)])
def test_layer_rejects_invalid_sizes(sizes):
    with pytest.raises((TypeError, ValueError)):
        gluon.nn.Embedding(*sizes)
