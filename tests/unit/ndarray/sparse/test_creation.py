import numpy as np
import pytest

import opforge as mx
from opforge import nd


def test_zeros_of_each_type(stype):
    for make in (nd.sparse.zeros, nd.sparse.empty):
        x = make(stype, (2, 3), mx.cpu(1), "float64")
        assert (x.stype, x.context, x.dtype, x.data.size) == (stype, mx.cpu(1), np.float64, 0)
        np.testing.assert_array_equal(x.asnumpy(), np.zeros((2, 3)))
        assert make("default", (2,)).stype == "default"
    assert nd.zeros((2, 3), stype=stype).stype == nd.empty((2, 3), stype=stype).stype == stype
    with pytest.raises(ValueError, match="unknown storage type 'coo'"):
        nd.sparse.zeros("coo", (2, 2))


@pytest.mark.parametrize("make", [nd.sparse.csr_matrix, nd.sparse.row_sparse_array])
def test_from_elements(make, values):
    for source, kind in [
        (values.astype(np.float64), np.float64),
        (values.tolist(), np.float32),
        (nd.array(values, dtype="float16"), np.float16),
        (make(nd.array(values)), np.float32),
    ]:
        array = make(source)
        assert array.dtype == kind
        np.testing.assert_array_equal(array.asnumpy(), values)
        array = make(source, shape=(4, 3), ctx=mx.cpu(1), dtype="int32")
        assert (array.dtype, array.context) == (np.int32, mx.cpu(1))
        with pytest.raises(ValueError, match=r"has shape \(4, 3\), shape= is \(3, 4\)"):
            make(source, shape=(3, 4))
    assert make((np.int64(2), 3)).shape == (2, 3)
    with pytest.raises(ValueError, match="shape= is"):
        make((2, 2), shape=(3, 2))


def test_from_the_other_type():
    with pytest.raises(ValueError, match="unexpected input type RowSparseNDArray"):
        nd.sparse.csr_matrix(nd.ones((2, 2)).tostype("row_sparse"))
    with pytest.raises(ValueError, match="unexpected source_array of type list"):
        nd.sparse.array([[1]])


def test_parts():
    x = nd.sparse.csr_matrix(([5, 7], [2, 0], [0, 1, 2]))
    assert (x.shape, x.dtype, x.indptr.dtype) == ((2, 3), np.float32, np.int64)
    assert x.asnumpy().tolist() == [[0, 0, 5], [7, 0, 0]]
    y = nd.sparse.row_sparse_array((np.ones((2, 3), "int32"), nd.array([1, 4])))
    assert (y.shape, y.dtype) == ((5, 3), np.int32)


@pytest.mark.parametrize(
    ("make", "arguments"),
    [
        (nd.sparse.csr_matrix, (([], [], [0]),)),
        (nd.sparse.csr_matrix, (([1], [0], []), (1, 1))),
        (nd.sparse.csr_matrix, (([[1]], [0], [0, 1]), (1, 1))),
        (nd.sparse.csr_matrix, (([1], [0], [0, 1]), (1, 1, 1))),
        (nd.sparse.csr_matrix, ((1, 2, 3, 4.0),)),
        (nd.sparse.csr_matrix, (([1], ([0, 1], [0])), (2, 2))),
        (nd.sparse.csr_matrix, (([1], ([2], [0])), (2, 2))),
        (nd.sparse.row_sparse_array, (([[1, 2]], [1]), (3, 3))),
        (nd.sparse.row_sparse_array, (([[1, 2]], [1, 2]), (3, 2))),
        (nd.sparse.row_sparse_array, (([], []),)),
        (nd.sparse.row_sparse_array, (([[1]], [0]), (-1, 1))),
    ],
)
def test_parts_that_do_not_fit(make, arguments):
    with pytest.raises(ValueError):
        make(*arguments)


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        ([1.0, 2.0], "float64"),
        ([1, 2], "int64"),
        (np.array([1, 2], "int32"), "int32"),
        (nd.array([1, 2]), "float32"),
    ],
)
def test_types_of_values_by_coordinates(data, dtype):
    """As in MXNet, they are those of NumPy; in other forms lists are float32."""
    coordinates = ([0, 1], [1, 0])
    assert nd.sparse.csr_matrix((data, coordinates), shape=(2, 2)).dtype == np.dtype(dtype)
    given = nd.sparse.csr_matrix((data, coordinates), shape=(2, 2), dtype="float16")
    assert given.dtype == np.float16
    assert nd.sparse.csr_matrix(([1.0, 2.0], [0, 1], [0, 1, 2])).dtype == np.float32


def test_unordered_coordinates_are_sorted_and_summed():
    x = nd.sparse.csr_matrix(([1, 2, 4], ([1, 0, 1], [0, 1, 0])), shape=(2, 2))
    x.check_format()
    assert x.asnumpy().tolist() == [[0, 2], [5, 0]]


def test_from_scipy(values):
    scipy = pytest.importorskip("scipy.sparse")
    messy = scipy.csr_matrix(([1.0, 2.0, 4.0], [1, 0, 1], [0, 3]), shape=(1, 2))
    for make in (nd.array, nd.sparse.array, nd.sparse.csr_matrix):
        x = make(messy)
        x.check_format()
        assert (x.asnumpy().tolist(), x.dtype) == ([[2, 5]], np.float64)
