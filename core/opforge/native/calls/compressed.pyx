"""Products of sparse matrices in CSR (compressed sparse row) format with dense ones."""

from libc.stdint cimport int64_t

from opforge.native.array.array cimport Array, new_array, overlaps, wait_read, wait_write
from opforge.native.array.expect cimport expect_code, expect_shape
from opforge.native.loops.compressed cimport CsrProduct, find_invalid_index, multiply, transpose
from opforge.native.memory.types cimport F32, F64, I64

from opforge.base.errors import DTypeError, IndexRangeError, OpforgeError, ShapeError

__all__ = ["csr_dot", "csr_transpose"]


cdef int expect_csr(str function, Array indices, Array indptr) except -1:
    """Check the types and shapes of the index arrays of a CSR matrix, and wait for them."""
    expect_code(function, "indices", indices, I64)
    expect_code(function, "indptr", indptr, I64)
    if indices.ndim != 1 or indptr.ndim != 1 or indptr.size == 0:
        raise ShapeError(
            f"{function}: 'indices' has shape {indices.shape} and 'indptr' {indptr.shape}; expected "
            "one axis each, and at least one element in 'indptr'"
        )
    wait_read(indices)
    wait_read(indptr)
    return 0


cdef int raise_invalid_index(str function, Array indices, Array indptr, Py_ssize_t columns) except -1:
    """Raise the error for the first invalid index of a matrix with `columns` columns."""
    cdef Py_ssize_t position
    with nogil:
        position = find_invalid_index(
            <const int64_t*>indptr.data, <const int64_t*>indices.data, indptr.size - 1, columns,
            indices.size,
        )
    if position == -2:
        raise OpforgeError(
            f"{function}: 'indptr' does not increase from 0 to {indices.size}, the number of values"
        )
    if position >= 0:
        raise IndexRangeError(
            f"{function}: index {(<const int64_t*>indices.data)[position]} at position {position} is not "
            f"in [0, {columns})"
        )
    raise OpforgeError(f"{function}: another thread wrote 'indices' or 'indptr' during the call")


def csr_dot(
    Array data not None, Array indices not None, Array indptr not None, Array dense not None,
    Array out not None,
):
    """Write the product of a CSR matrix and a dense one.

    Parameters
    ----------
    data : Array, float32 or float64
    indices, indptr : Array, int64
    dense : Array, 2-d, dtype of `data`
    out : Array, dtype of `data`, shape (rows of the matrix, columns of `dense`)
    """
    cdef CsrProduct c
    cdef bint is_valid
    if data.code != F32 and data.code != F64:
        raise DTypeError(f"csr_dot: 'data' is {data.dtype.__name__}, expected float32 or float64")
    expect_code("csr_dot", "dense", dense, data.code)
    expect_code("csr_dot", "out", out, data.code)
    if dense.ndim != 2:
        raise ShapeError(f"csr_dot: 'dense' has shape {dense.shape}, expected two axes")
    expect_csr("csr_dot", indices, indptr)
    expect_shape("csr_dot", "data", data, indices.shape)
    expect_shape("csr_dot", "out", out, (indptr.size - 1, dense.shape[1]))
    if overlaps(out, dense) or overlaps(out, data) or overlaps(out, indices) or overlaps(out, indptr):
        raise ValueError("csr_dot: 'out' shares memory with an input")
    wait_read(data)
    wait_read(dense)
    wait_write(out)
    if out.size == 0:
        return
    c.indptr, c.indices = <const volatile int64_t*>indptr.data, <const volatile int64_t*>indices.data
    c.values, c.dense, c.out = data.data, dense.data, out.data
    c.rows, c.width, c.code = indptr.size - 1, dense.shape[1], data.code
    c.count, c.inner = indices.size, dense.shape[0]
    with nogil:
        is_valid = multiply(&c)
    if not is_valid:
        raise_invalid_index("csr_dot", indices, indptr, dense.shape[0])


def csr_transpose(Array indices not None, Array indptr not None, Py_ssize_t columns):
    """Return the index arrays of a transposed CSR matrix and the permutation of its values.

    Parameters
    ----------
    indices, indptr : Array, int64
    columns : int
        Number of columns of the matrix.

    Returns
    -------
    indices, indptr, order : Array, int64
        Value i of the transposed matrix is value ``order[i]`` of the matrix.
    """
    cdef bint is_valid
    expect_csr("csr_transpose", indices, indptr)
    cdef Array out_indices = new_array(indices.shape, I64, indices.context)
    cdef Array order = new_array(indices.shape, I64, indices.context)
    cdef Array out_indptr = new_array((columns + 1,), I64, indices.context)
    with nogil:
        is_valid = transpose(
            <const volatile int64_t*>indptr.data, <const volatile int64_t*>indices.data,
            indptr.size - 1, columns, indices.size,
            <int64_t*>out_indptr.data, <int64_t*>out_indices.data, <int64_t*>order.data,
        )
    if not is_valid:
        raise_invalid_index("csr_transpose", indices, indptr, columns)
    return out_indices, out_indptr, order
