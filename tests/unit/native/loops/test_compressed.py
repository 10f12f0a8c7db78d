"""Loops over CSR matrices: rows of any length, divided among threads."""

import numpy as np
import pytest

from opforge import nd
from opforge.native import calls


@pytest.mark.parametrize("lengths", [[], [0], [3], [0, 0, 2], [1000, 0, 1], [1] * 2000])
@pytest.mark.parametrize("width", [1, 3, 33])
def test_rows_of_any_length(lengths, width):
    rng = np.random.default_rng(len(lengths))
    indptr = np.cumsum([0, *lengths])
    columns = rng.integers(0, 50, indptr[-1])
    values = rng.normal(size=indptr[-1]).astype(np.float32)
    dense = rng.normal(size=(50, width)).astype(np.float32)
    out = nd.zeros((len(lengths), width))
    csr = nd.array(columns, dtype="int64"), nd.array(indptr, dtype="int64")
    calls.csr_dot(nd.array(values), *csr, nd.array(dense), out)
    matrix = np.zeros((len(lengths), 50))
    np.add.at(matrix, (np.repeat(np.arange(len(lengths)), lengths), columns), values)
    np.testing.assert_allclose(out.asnumpy(), matrix @ dense, rtol=1e-3, atol=1e-3)
    indices, ends, order = (x.asnumpy() for x in calls.csr_transpose(*csr, 50))
    transposed = np.zeros((50, len(lengths)))
    np.add.at(transposed, (np.repeat(np.arange(50), np.diff(ends)), indices), values[order])
    np.testing.assert_allclose(transposed, matrix.T, rtol=1e-6)
