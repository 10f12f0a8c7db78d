"""Rows of row-sparse tables, taken by operators whose kernel supports rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opforge import autograd, nd
from opforge.base.errors import OpforgeError, ShapeError


def table(rows, count=5, width=2):
    """Return a table whose row k, if it is stored, is k + 1 everywhere."""
    values = np.repeat(np.asarray(rows, np.float32) + 1, width).reshape(-1, width)
    return nd.sparse.row_sparse_array((values, list(rows)), shape=(count, width))


@settings(max_examples=60, deadline=None)
@given(
    st.sets(st.integers(0, 4)),
    st.lists(st.integers(-9, 9), min_size=1, max_size=6),
    st.sampled_from(["clip", "wrap"]),
    st.sampled_from(["float32", "float64", "int32", "int64"]),
)
def test_rows_and_gradients_are_those_of_dense_tables(rows, row_indices, mode, dtype):
    sparse, indices = table(sorted(rows)), nd.array(row_indices, dtype=dtype)
    dense = sparse.tostype("default")
    for one in (sparse, dense):
        one.attach_grad()
    results = []
    for one in (sparse, dense):
        with autograd.record():
            y = nd.take(one, indices, mode=mode) * 2
        y.backward()
        results.append((y.asnumpy().tolist(), one.grad.asnumpy().tolist()))
    assert results[0] == results[1]


def test_the_gradient_has_the_rows_that_were_read():
    x = table(range(5))
    x.attach_grad()
    with autograd.record():
        y = nd.take(x, nd.array([[3, 1], [3, 3]]))
    assert y.shape == (2, 2, 2)
    y.backward()
    assert x.grad.indices.asnumpy().tolist() == [1, 3]
    assert x.grad.data.asnumpy()[:, 0].tolist() == [1, 3]
    x.attach_grad(stype="default")
    with autograd.record():
        y = nd.take(x, nd.array([3])) + nd.square(x).sum()
    y.backward()
    assert x.grad.asnumpy()[:, 0].tolist() == [2 * 2, 4 * 2, 6 * 2, 8 * 2 + 1, 10 * 2]


@pytest.mark.plugins
def test_embedding_makes_no_dense_copy(monkeypatch):
    x = table([0, 4])
    monkeypatch.setattr(type(x), "_dense", lambda self: pytest.fail("a dense copy was made"))
    found = nd.Embedding(nd.array([4, 2, 9]), x, input_dim=5, output_dim=2)
    assert found.asnumpy()[:, 0].tolist() == [5, 0, 5]
    assert found.stype == "default"


@pytest.mark.plugins
def test_mismatched_tables_are_rejected():
    with pytest.raises(ShapeError, match="'weight'"):
        nd.Embedding(nd.zeros(1), table([1]), input_dim=7, output_dim=2)
    broken = nd.sparse.row_sparse_array((np.ones((1, 2)), [7]), shape=(5, 2))
    with pytest.raises(OpforgeError, match="index 7 is out of range"):
        nd.take(broken, nd.zeros(1))


def test_other_calls_are_dense_ones():
    twice = nd.sparse.row_sparse_array((np.ones((2, 2)), [3, 3]), shape=(5, 2))
    assert nd.take(twice, nd.array([3])).asnumpy().tolist() == [[2, 2]]
    assert nd.take(table([1]), nd.array([0]), axis=1).shape == (5, 1)
    with pytest.raises(OpforgeError):
        nd.take(table([1]), nd.array([9]), mode="raise")
    numbers = nd.array([np.nan, np.inf, -np.inf, 2.9])
    assert set(nd.take(table(range(5)), numbers).asnumpy()[:, 0].tolist()) <= {1, 5, 3}
