# Products of matrices in compressed sparse row format, split over threads.
# They return False where places are wrong, having written a part; first_wrong says which one it is.

from libc.stdint cimport int64_t

cdef struct Compressed:                # out = matrix x dense
    const volatile int64_t* bounds     # rows + 1 numbers that rise from 0 to `count`
    const volatile int64_t* columns    # `count` places in the rows of `dense`
    const char* values
    const char* dense                  # (inner, width)
    char* out                          # (rows, width)
    Py_ssize_t rows, count, inner, width
    int code                           # F32 or F64
    bint is_wrong                      # set by multiply

cdef bint multiply(Compressed* c) noexcept nogil
# The places of the transposed matrix, of `columns` rows: `ends` has columns + 1 numbers, its row boundaries afterwards;
# `at` and `order`, of `total` numbers, get the columns and where each value stood before.
cdef bint transpose(
    const volatile int64_t* bounds, const volatile int64_t* places, Py_ssize_t rows,
    Py_ssize_t columns, Py_ssize_t total, int64_t* ends, int64_t* at, int64_t* order,
) noexcept nogil
# The number of the first place that is out of range, or -1; -2 where `bounds` do not rise from 0 to `count`.
cdef Py_ssize_t first_wrong(
    const int64_t* bounds, const int64_t* places, Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t count
) noexcept nogil
