import numpy as np
import pytest

from opforge import autograd, nd, sym
from opforge.base.errors import OpforgeError


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("name", ["sum", "mean", "norm", "max"])
def test_they_agree_with_dense_ones(make_sparse, values, name, axis, keepdims):
    sparse = make_sparse()
    options = {"axis": axis, "keepdims": keepdims}
    found = getattr(nd, name)(sparse, **options)
    expected = getattr(nd, name)(nd.array(values), **options)
    assert found.stype == "default" and found.shape == expected.shape
    np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-6)


@pytest.mark.parametrize("name", ["sum", "mean", "norm"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_of_nothing_stored(stype, name, axis):
    found = getattr(nd, name)(nd.zeros((3, 2), stype=stype), axis=axis)
    np.testing.assert_array_equal(found.asnumpy(), 0)


def test_duplicate_indices_count_as_their_sum():
    x = nd.sparse.csr_matrix(([3.0, 1.0], [0, 0], [0, 2]), shape=(1, 1))
    assert nd.norm(x).asscalar() == nd.sum(x).asscalar() == 4


def test_integers_and_errors_as_dense(make_sparse):
    sparse = make_sparse()
    assert sparse.astype("int32").sum(axis=0).dtype == np.int32
    with pytest.raises(ValueError):
        sparse.sum(axis=7)


def test_square_sum(values):
    x = nd.array(values).tostype("row_sparse")
    rows = nd._square_sum(x, axis=1, keepdims=True)
    assert rows.stype == "row_sparse"
    np.testing.assert_allclose(rows.asnumpy(), (values**2).sum(1, keepdims=True))
    for axis in (0, 1, None):
        found = nd._square_sum(x, axis=axis)
        np.testing.assert_allclose(found.asnumpy().squeeze(), (values**2).sum(axis))


def test_stored_values_are_counted(values):
    matrix = nd.array(values).tostype("csr")
    for axis, wanted in ((None, [5]), (0, [2, 2, 1]), (1, [1, 0, 2, 2]), (-1, [1, 0, 2, 2])):
        found = nd.contrib.getnnz(matrix, axis=axis)
        assert found.dtype == np.int64 and found.asnumpy().tolist() == wanted
    empty = nd.zeros((2, 3), stype="csr")
    assert nd.contrib.getnnz(empty, axis=0).asnumpy().tolist() == [0, 0, 0]
    (counted,) = sym.contrib.getnnz(sym.var("x"), axis=1).eval(x=matrix)
    assert counted.asnumpy().tolist() == [1, 0, 2, 2]
    for other in (nd.array(values), nd.array(values).tostype("row_sparse")):
        with pytest.raises(OpforgeError, match=r"not a csr matrix; convert it by x.tostype"):
            nd.contrib.getnnz(other)
    with pytest.raises(OpforgeError, match="axis"):
        nd.contrib.getnnz(matrix, axis=2)


def test_stored_values_of_a_recorded_matrix_are_counted(values):
    matrix = nd.array(values).tostype("csr")
    matrix.attach_grad()
    with autograd.record():
        found = nd.contrib.getnnz(matrix, axis=1)
    assert found.asnumpy().tolist() == [1, 0, 2, 2]


def test_sums_of_squares_of_more_dimensions_are_dense():
    data = nd.array(np.arange(8).reshape(2, 2, 2)).tostype("row_sparse")
    found = nd._internal._square_sum(data, axis=1)
    assert found.stype == "default"
    np.testing.assert_array_equal(found.asnumpy(), (data.asnumpy() ** 2).sum(1))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_only_floats_are_reduced_as_they_are_stored(dtype):
    matrix = nd.sparse.csr_matrix(np.array([[0, 2], [3, 0]], dtype), dtype=dtype)
    found = nd.sum(matrix, axis=1)
    assert found.dtype == np.dtype(dtype).type
    assert found.asnumpy().tolist() == [2, 3]
