"""Sparse gradients are the same as MXNet 1.9.1 reported for the same graphs."""

import numpy as np
import pytest

import opforge as mx
from opforge import nd, sym
from opforge.symbol.inference.gradient_storage import gradient_storage

W, V = sym.var("w"), sym.var("v")


def rows(table, data="d", sparse_grad=True):
    return sym.Embedding(sym.var(data), table, input_dim=5, output_dim=3, sparse_grad=sparse_grad)


def dot(**attributes):
    return sym.dot(sym.var("x"), W, **attributes)


TABLES = [
    (lambda: rows(W), {"w": "row_sparse"}),
    (lambda: rows(W, sparse_grad=False), {}),
    (
        lambda: sym.contrib.SparseEmbedding(sym.var("d"), W, input_dim=5, output_dim=3),
        {"w": "row_sparse"},
    ),
    (lambda: rows(W) + rows(W, "e"), {"w": "row_sparse"}),
    (lambda: sym.Group([rows(W), W * 2]), {}),
    (lambda: sym.FullyConnected(rows(W), W, num_hidden=5, no_bias=True), {}),
    (lambda: rows(-W * 2 / 3), {"w": "row_sparse"}),
    (lambda: rows(sym.square(W)), {}),
    (lambda: rows(sym.elemwise_add(W, V)), {"w": "row_sparse", "v": "row_sparse"}),
    (lambda: rows(sym.elemwise_mul(W, V)), {}),
    (lambda: sym.take(W, sym.var("d")), {}),
]


@pytest.mark.plugins
@pytest.mark.parametrize("number", range(len(TABLES)))
def test_dense_tables(number):
    graph, expected = TABLES[number]
    assert gradient_storage(graph(), {}) == expected


VARIABLES = [
    (lambda x, y: sym.square(x), True, True),
    (lambda x, y: sym.floor(sym.negative(x)), True, True),
    (lambda x, y: x + 0, True, True),
    (lambda x, y: x + 1, False, False),
    (lambda x, y: sym.sin(x), False, False),
    (lambda x, y: sym.clip(x, -1, 1), False, False),
    (lambda x, y: sym.elemwise_add(x, y), False, False),
    (lambda x, y: sym.elemwise_mul(x, y), False, False),
    (lambda x, y: sym.elemwise_sub(x, x), True, False),
    (lambda x, y: sym.sparse.retain(x, y), True, False),
    (lambda x, y: sym._internal._square_sum(x, axis=1), True, False),
    (lambda x, y: sym.FullyConnected(y, x, num_hidden=5, no_bias=True), False, False),
    (lambda x, y: sym.cast_storage(x, stype="default"), False, False),
    (lambda x, y: sym.Group([x, sym.sum(y)]), True, True),
]


@pytest.mark.plugins
@pytest.mark.parametrize("number", range(len(VARIABLES)))
def test_sparse_variables(number):
    make, of_rows, of_csr = VARIABLES[number]
    graph = make(sym.var("x"), sym.var("y"))
    for stype, is_sparse in (("row_sparse", of_rows), ("csr", of_csr)):
        assert gradient_storage(graph, {"x": stype}) == ({"x": stype} if is_sparse else {})


def test_products():
    assert gradient_storage(dot(), {"x": "csr"}) == {"w": "row_sparse"}
    assert gradient_storage(sym.broadcast_add(dot(), V), {"x": "csr"}) == {"w": "row_sparse"}
    for graph, stype in ((dot(transpose_a=True), "csr"), (dot(), "row_sparse"), (dot(), "default")):
        assert gradient_storage(graph, {"x": stype}) == {}


def test_loops_are_dense():
    body = lambda row, state: (row + state, state)  # noqa: E731
    outputs, _ = sym.contrib.foreach(body, sym.var("x"), W)
    assert gradient_storage(sym.Group([outputs, dot()]), {"x": "csr"}) == {}


@pytest.mark.plugins
def test_simple_bind_makes_them_and_backward_fills_them():
    executor = rows(W).simple_bind(mx.cpu(), {"d": "null", "w": "write"}, d=(4,))
    executor.arg_dict["w"][:] = nd.arange(15).reshape((5, 3))
    executor.forward(is_train=True, d=nd.array([3, 1, 3, 0]))
    executor.backward(nd.ones((4, 3)))
    found = executor.grad_dict["w"]
    assert found.stype == "row_sparse" and found.indices.asnumpy().tolist() == [0, 1, 3]
    np.testing.assert_array_equal(found.asnumpy()[:, 0], [1, 1, 0, 2, 0])
    table = sym.var("w", stype="row_sparse")
    executor = rows(table, sparse_grad=False).simple_bind(mx.cpu(), d=(4,))
    assert executor.arg_dict["w"].stype == "row_sparse"
    executor.forward(is_train=True, d=nd.array([3, 1, 3, 0]))
    executor.backward(nd.ones((4, 3)))
    found = executor.grad_dict["w"]
    assert found.stype == "default"
    np.testing.assert_array_equal(found.asnumpy()[:, 0], [1, 1, 0, 2, 0])
