"""Products of matrices in CSR (compressed sparse row) format with dense ones, rows divided among threads.

Each row of the product is summed by one thread in the order of its values, so results are reproducible.
Another thread may write the indices during a call, so each index is read once and checked after reading.
"""

from libc.stdint cimport int64_t
from libc.string cimport memset

from opforge.native.memory.types cimport F32
from opforge.native.threads.parallel cimport parallel_for_worth

cdef enum:
    GRAIN = 16384                      # minimum multiplications per thread

ctypedef fused Float:
    float
    double


cdef bint multiply(CsrProduct* c) noexcept nogil:
    cdef double products = <double>(c.count + c.rows) * <double>c.width
    c.is_invalid = c.indptr[0] != 0 or c.indptr[c.rows] != c.count
    if not c.is_invalid:
        parallel_for_worth(c.rows, products / GRAIN, multiply_part, c)
    return not c.is_invalid


cdef void multiply_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Write rows [begin, end) of the product."""
    cdef CsrProduct* c = <CsrProduct*>arg
    if c.code == F32:
        multiply_rows(c, <const float*>c.values, <const float*>c.dense, begin, end)
    else:
        multiply_rows(c, <const double*>c.values, <const double*>c.dense, begin, end)


cdef void multiply_rows(
    CsrProduct* c, const Float* values, const Float* dense, Py_ssize_t begin, Py_ssize_t end
) noexcept nogil:
    cdef Float* row
    cdef Py_ssize_t i, k
    cdef int64_t first = c.indptr[begin], last, column
    for i in range(begin, end):
        last = c.indptr[i + 1]
        if first < 0 or last < first or last > c.count:
            c.is_invalid = True
            return
        row = <Float*>c.out + i * c.width
        if c.width == 1:
            row[0] = sum_of_products(c, values, dense, first, last)
        else:
            memset(row, 0, c.width * sizeof(Float))
            for k in range(first, last):
                column = c.indices[k]
                if column < 0 or column >= c.inner:
                    c.is_invalid = True
                    return
                add_multiple(row, dense + column * c.width, values[k], c.width)
        first = last


cdef inline Float sum_of_products(
    CsrProduct* c, const Float* values, const Float* dense, Py_ssize_t first, Py_ssize_t last
) noexcept nogil:
    cdef Float total = 0
    cdef Py_ssize_t k
    cdef int64_t column
    for k in range(first, last):
        column = c.indices[k]
        if column < 0 or column >= c.inner:
            c.is_invalid = True
            return total
        total += values[k] * dense[column]
    return total


cdef inline void add_multiple(
    Float* row, const Float* other, Float factor, Py_ssize_t width
) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(width):
        row[j] += factor * other[j]


cdef bint transpose(
    const volatile int64_t* indptr, const volatile int64_t* indices, Py_ssize_t rows,
    Py_ssize_t columns, Py_ssize_t total, int64_t* out_indptr, int64_t* out_indices, int64_t* order,
) noexcept nogil:
    cdef Py_ssize_t i, k, before = 0, count
    cdef int64_t column, position, first = 0, last
    if indptr[0] != 0 or indptr[rows] != total:
        return False
    memset(out_indptr, 0, (columns + 1) * sizeof(int64_t))
    for k in range(total):
        column = indices[k]
        if column < 0 or column >= columns:
            return False
        out_indptr[column + 1] += 1
    for i in range(1, columns + 1):    # start of each row, which the loop below advances to its end
        count = out_indptr[i]
        out_indptr[i] = before
        before += count
    for i in range(rows):
        last = indptr[i + 1]
        if last < first or last > total:
            return False
        for k in range(first, last):
            column = indices[k]
            if column < 0 or column >= columns:
                return False
            position = out_indptr[column + 1]
            if position >= total:
                return False
            out_indices[position] = i
            order[position] = k
            out_indptr[column + 1] = position + 1
        first = last
    return True


cdef Py_ssize_t find_invalid_index(
    const int64_t* indptr, const int64_t* indices, Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t count
) noexcept nogil:
    cdef Py_ssize_t i
    if indptr[0] != 0 or indptr[rows] != count:
        return -2
    for i in range(rows):
        if indptr[i] > indptr[i + 1]:
            return -2
    for i in range(count):
        if indices[i] < 0 or indices[i] >= columns:
            return i
    return -1
