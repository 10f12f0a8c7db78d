import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opforge import nd
from opforge.base.errors import ShapeError


@given(st.integers(0, 5), st.integers(0, 5), st.integers(0, 2**25 - 1))
def test_any_matrix_comes_back(rows, columns, bits):
    flags = [(bits >> i) & 1 for i in range(rows * columns)]
    values = np.array(flags, np.float32).reshape(rows, columns)
    matrix = nd.array(values).tostype("csr")
    matrix.check_format()
    np.testing.assert_array_equal(matrix.asnumpy(), values)
    assert matrix.data.size == sum(flags)


def test_rows(values):
    matrix = nd.array(values).tostype("csr")
    for key in (slice(1, 3), slice(None), slice(-2, None), slice(3, 1), 2, -1, np.int64(0)):
        part = matrix[key]
        part.check_format()
        expected = values[key] if isinstance(key, slice) else values[key][None]
        assert part.stype == "csr"
        np.testing.assert_array_equal(part.asnumpy(), expected)
    with pytest.raises(IndexError, match="index 4 is out of range for 4 rows"):
        matrix[4]
    for key in ((0, 1), slice(None, None, 2), [0]):
        with pytest.raises(ValueError):
            matrix[key]


def test_duplicate_indices_are_summed():
    matrix = nd.sparse.csr_matrix(([1, 2, 4], [1, 0, 1], [0, 3]), shape=(1, 2))
    assert matrix.asnumpy().tolist() == [[2, 5]]


def test_only_matrices():
    with pytest.raises(ShapeError, match="should be 2 Dimensional"):
        nd.ones((2,)).tostype("csr")
    with pytest.raises(ShapeError, match="should be 2 Dimensional"):
        nd.zeros((2, 2, 2), stype="csr")


def test_scipy(values):
    scipy = pytest.importorskip("scipy.sparse")
    theirs = nd.array(values).tostype("csr").asscipy()
    assert isinstance(theirs, scipy.csr_matrix)
    np.testing.assert_array_equal(theirs.toarray(), values)
