import numpy as np
import pytest

import opforge as mx
from opforge import nd

CSR = [
    ([0, 2, 1], [0, 5, 2, 3], "ascending numbers from 0 to 3"),
    ([0, 2, 1], [0, -2, 2, 3], "ascending numbers from 0 to 3"),
    ([0, 2, 1], [0, 2, 2, 4], "leads from 0 to 4"),
    ([0, 2, 1], [1, 2, 2, 3], "leads from 1 to 3"),
    ([0, 2, 1], [0, 3], "indptr has 2 elements, expected 4"),
    ([0, 4, 1], [0, 1, 2, 3], "the index 4 is out of range, expected 0 to 3"),
    ([0, -1, 1], [0, 1, 2, 3], "the index -1 is out of range"),
    ([0, 1], [0, 1, 2, 2], "2 indices for 3 values"),
]
ROWS = [([1, 3], "the index 3 is out of range, expected 0 to 2"), ([1, -2], "the index -2")]


@pytest.mark.parametrize(("indices", "indptr", "message"), CSR)
def test_nothing_goes_by_a_csr_array_that_lies(indices, indptr, message):
    x = nd.sparse.csr_matrix(([7, 8, 9], indices, indptr), shape=(3, 4))
    for use in (
        x.check_format,
        x.asnumpy,
        x.sum,
        lambda: x + x,
        lambda: x[1:],
        lambda: nd.exp(x),
        lambda: nd.dot(x, nd.ones((4, 2))),
        lambda: nd.dot(x, nd.ones((3, 2)), transpose_a=True),
        lambda: nd.take(x, nd.array([0])),
    ):
        with pytest.raises(mx.MXNetError, match=message):
            use()


@pytest.mark.parametrize(("indices", "message"), ROWS)
def test_nothing_goes_by_a_row_sparse_array_that_lies(indices, message):
    x = nd.sparse.row_sparse_array(([[1, 2], [3, 4]], indices), shape=(3, 2))
    for use in (x.check_format, x.asnumpy, x.sum, lambda: x + x, lambda: x.retain(nd.array([1]))):
        with pytest.raises(mx.MXNetError, match=message):
            use()


def test_order_matters_to_the_full_check_alone():
    rows = nd.sparse.row_sparse_array(([[1], [2]], [1, 0]), shape=(2, 1))
    matrix = nd.sparse.csr_matrix(([1, 2, 3], [0, 2, 1], [0, 1, 3]), shape=(2, 3))
    for array in (rows, matrix):
        array.check_format(full_check=False)
        with pytest.raises(mx.MXNetError, match="do not ascend"):
            array.check_format()


def test_a_column_may_fall_where_a_row_begins():
    bounds = np.array([0, 0, 2, 2, 3, 3])
    nd.sparse.csr_matrix(([1, 2, 3], [1, 2, 0], bounds), shape=(5, 3)).check_format()


def test_a_matrix_whose_elements_cannot_be_counted_is_rejected():
    huge = nd.sparse.csr_matrix(([1.0], [0], [0, 1]), shape=(1, 2**63 - 1))
    with pytest.raises(mx.MXNetError, match="at most"):
        huge.asnumpy()
