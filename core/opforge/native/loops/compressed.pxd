# Products of matrices in CSR (compressed sparse row) format, divided among threads.
# The functions return False if an index is invalid, possibly after writing part of the result;
# find_invalid_index returns which one.

from libc.stdint cimport int64_t

cdef struct CsrProduct:                # out = matrix @ dense
    const volatile int64_t* indptr     # rows + 1 row boundaries, increasing from 0 to `count`
    const volatile int64_t* indices    # `count` columns of the matrix, which are rows of `dense`
    const char* values
    const char* dense                  # (inner, width)
    char* out                          # (rows, width)
    Py_ssize_t rows, count, inner, width
    int code                           # F32 or F64
    bint is_invalid                    # set by multiply

cdef bint multiply(CsrProduct* c) noexcept nogil
# Transposes the index arrays of a matrix with `columns` columns and `total` values. `out_indptr` has
# columns + 1 elements; `out_indices` and `order`, of `total` elements, receive the columns of the transposed
# matrix and the position of each of its values in the original one.
cdef bint transpose(
    const volatile int64_t* indptr, const volatile int64_t* indices, Py_ssize_t rows,
    Py_ssize_t columns, Py_ssize_t total, int64_t* out_indptr, int64_t* out_indices, int64_t* order,
) noexcept nogil
# Returns the position of the first index that is out of range, or -1; -2 if `indptr` does not increase from 0
# to `count`.
cdef Py_ssize_t find_invalid_index(
    const int64_t* indptr, const int64_t* indices, Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t count
) noexcept nogil
