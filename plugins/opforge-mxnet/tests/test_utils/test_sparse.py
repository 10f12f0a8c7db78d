from types import SimpleNamespace

import numpy as np
import pytest

import opforge as mx
from opforge import test_utils


def test_random_rows():
    x, (data, rows) = test_utils.rand_sparse_ndarray((50, 3), "row_sparse", density=0.5)
    assert 5 < len(rows) < 45 and data.shape == (len(rows), 3)
    np.testing.assert_array_equal(x.asnumpy()[rows], data)
    x = test_utils.create_sparse_array((5, 2), "row_sparse", data_init=3, rsp_indices=[4, 1])
    assert x.indices.asnumpy().tolist() == [1, 4] and (x.data.asnumpy() == 3).all()
    none = test_utils.create_sparse_array_zd((5, 2), "row_sparse", 0.9)
    assert none.data.shape == (0, 2)


def test_random_sparse_arrays_are_valid():
    x, (indptr, indices, data) = test_utils.rand_sparse_ndarray((8, 9), "csr", 0.5, "float64")
    x.check_format()
    assert (indptr.shape, indices.shape, data.dtype) == ((9,), (36,), np.float64)
    x = test_utils.create_sparse_array((1, 60), "csr", density=1.0, shuffle_csr_indices=True)
    with pytest.raises(mx.MXNetError, match="do not ascend"):
        x.check_format()


def test_rows_that_double():
    _, (indptr, *_) = test_utils.rand_sparse_ndarray((5, 16), "csr", 0.5, distribution="powerlaw")
    assert np.diff(indptr.asnumpy()).tolist() == [2, 4, 8, 16, 10]
    with pytest.raises(ValueError, match="density is too high"):
        test_utils.rand_sparse_ndarray((1, 100), "csr", 0.9, distribution="powerlaw")


def test_columns_are_shuffled_within_their_rows():
    csr = SimpleNamespace(indptr=np.array([0, 5, 5, 40]), indices=np.arange(40))
    test_utils.shuffle_csr_column_indices(csr)
    assert sorted(csr.indices[:5]) == list(range(5))
    assert sorted(csr.indices[5:]) == list(range(5, 40))
    assert csr.indices[5:].tolist() != list(range(5, 40))
