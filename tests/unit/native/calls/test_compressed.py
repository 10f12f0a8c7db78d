"""Native products of CSR matrices, which validate all indices."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import DTypeError, OpforgeError, ShapeError
from opforge.native import calls


def int64(values):
    return nd.array(values, dtype="int64")


def parts(dtype="float32"):
    """Return data, indices and indptr of a 3 x 4 matrix whose second row is empty."""
    return nd.array([1, 2, 3], dtype=dtype), int64([3, 0, 2]), int64([0, 1, 1, 3])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("width", [1, 5])
def test_product(dtype, width):
    dense = np.arange(4 * width).reshape(4, width)
    out = nd.full((3, width), 7, dtype=dtype)
    calls.csr_dot(*parts(dtype), nd.array(dense, dtype=dtype), out)
    expected = [dense[3], 0 * dense[0], 2 * dense[0] + 3 * dense[2]]
    np.testing.assert_array_equal(out.asnumpy(), expected)


def test_large_product_is_divided_and_reproducible():
    rng = np.random.default_rng(0)
    columns = rng.integers(0, 300, size=(500, 40))
    matrix = (nd.array(rng.normal(size=20000)), int64(columns.reshape(-1)))
    indptr = int64(np.arange(501) * 40)
    dense, out, again = nd.array(rng.normal(size=(300, 64))), nd.zeros((500, 64)), None
    for _ in range(3):
        calls.csr_dot(*matrix, indptr, dense, out)
        assert again is None or (again == out.asnumpy()).all()
        again = out.asnumpy()
    values = matrix[0].asnumpy().reshape(500, 40)
    expected = np.einsum("rk,rkw->rw", values, dense.asnumpy()[columns])
    np.testing.assert_allclose(again, expected, rtol=1e-3, atol=1e-4)


def test_transposed_indices():
    _, indices, indptr = parts()
    transposed = tuple(x.asnumpy().tolist() for x in calls.csr_transpose(indices, indptr, 4))
    assert transposed == ([2, 2, 0], [0, 1, 1, 2, 3], [1, 2, 0])


@pytest.mark.parametrize(
    ("indices", "indptr", "message"),
    [
        ([4, 0, 2], [0, 1, 1, 3], r"index 4 at position 0 is not in \[0, 4\)"),
        ([3, -1, 2], [0, 1, 1, 3], "index -1 at position 1"),
        ([3, 0, 2], [0, 1, 1, 4], "does not increase from 0 to 3"),
        ([3, 0, 2], [0, 5, 1, 3], "does not increase"),
        ([3, 0, 2], [0, -5, 1, 3], "does not increase"),
        ([3, 0, 2], [1, 1, 1, 3], "does not increase"),
    ],
)
def test_invalid_indices_are_rejected(indices, indptr, message):
    for width in (1, 2):
        dense, out = nd.ones((4, width)), nd.zeros((3, width))
        with pytest.raises(OpforgeError, match=message):
            calls.csr_dot(parts()[0], int64(indices), int64(indptr), dense, out)
    with pytest.raises(OpforgeError, match=message):
        calls.csr_transpose(int64(indices), int64(indptr), 4)


def test_mismatched_shapes_and_types_are_rejected():
    data, indices, indptr = parts()
    dense, out = nd.ones((4, 2)), nd.zeros((3, 2))
    for arguments, error in [
        ((data, indices, indptr, dense, nd.zeros((2, 2))), ShapeError),
        ((data, indices, indptr, nd.ones((4,)), out), ShapeError),
        ((nd.ones((2,)), indices, indptr, dense, out), ShapeError),
        ((data, indices.reshape((1, 3)), indptr, dense, out), ShapeError),
        ((data, indices, int64([]), dense, out), ShapeError),
        ((data, indices.astype("int32"), indptr, dense, out), DTypeError),
        ((data, indices, indptr, dense.astype("float64"), out), DTypeError),
        ((data.astype("int32"), indices, indptr, dense, out), DTypeError),
        ((data, indices, indptr, dense, dense[:3]), ValueError),
    ]:
        with pytest.raises(error):
            calls.csr_dot(*arguments)
    with pytest.raises(ShapeError):
        calls.csr_transpose(int64([]), int64([0]), -3)
