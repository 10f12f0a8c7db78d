from types import SimpleNamespace

import numpy as np
import pytest

import opforge as mx
from opforge import test_utils


@pytest.mark.parametrize(
    ("name", "more"),
    [("rand_sparse_ndarray", ()), ("create_sparse_array", ()), ("create_sparse_array_zd", (0.5,))],
)
def test_there_are_no_sparse_arrays(name, more):
    with pytest.raises(mx.MXNetError, match=rf"{name}: .*\(2, 3\) cannot have stype 'csr'"):
        getattr(test_utils, name)((2, 3), "csr", *more)


def test_columns_are_shuffled_within_their_rows():
    csr = SimpleNamespace(indptr=np.array([0, 5, 5, 40]), indices=np.arange(40))
    test_utils.shuffle_csr_column_indices(csr)
    assert sorted(csr.indices[:5]) == list(range(5))
    assert sorted(csr.indices[5:]) == list(range(5, 40))
    assert csr.indices[5:].tolist() != list(range(5, 40))
