"""Matrices in compressed sparse row format, by dense ones; rows are split over threads.

A row of the product is added up by one thread, in the order of its values, so results repeat.
Another thread may write indices while they are used here: each is read once, and looked at then.
"""

from libc.stdint cimport int64_t
from libc.string cimport memset

from opforge.native.memory.types cimport F32
from opforge.native.threads.parallel cimport parallel_for_worth

cdef enum:
    GRAIN = 16384                      # products of two numbers that are worth a thread

ctypedef fused Float:
    float
    double


cdef bint multiply(Compressed* c) noexcept nogil:
    cdef double products = <double>(c.count + c.rows) * <double>c.width
    c.is_wrong = c.bounds[0] != 0 or c.bounds[c.rows] != c.count
    if not c.is_wrong:
        parallel_for_worth(c.rows, products / GRAIN, multiply_part, c)
    return not c.is_wrong


cdef void multiply_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Write rows [begin, end) of the product."""
    cdef Compressed* c = <Compressed*>arg
    if c.code == F32:
        multiply_rows(c, <const float*>c.values, <const float*>c.dense, begin, end)
    else:
        multiply_rows(c, <const double*>c.values, <const double*>c.dense, begin, end)


cdef void multiply_rows(
    Compressed* c, const Float* values, const Float* dense, Py_ssize_t begin, Py_ssize_t end
) noexcept nogil:
    cdef Float* row
    cdef Py_ssize_t i, k
    cdef int64_t first = c.bounds[begin], last, place
    for i in range(begin, end):
        last = c.bounds[i + 1]
        if first < 0 or last < first or last > c.count:
            c.is_wrong = True
            return
        row = <Float*>c.out + i * c.width
        if c.width == 1:
            row[0] = sum_of_products(c, values, dense, first, last)
        else:
            memset(row, 0, c.width * sizeof(Float))
            for k in range(first, last):
                place = c.columns[k]
                if place < 0 or place >= c.inner:
                    c.is_wrong = True
                    return
                add_multiple(row, dense + place * c.width, values[k], c.width)
        first = last


cdef inline Float sum_of_products(
    Compressed* c, const Float* values, const Float* dense, Py_ssize_t first, Py_ssize_t last
) noexcept nogil:
    cdef Float total = 0
    cdef Py_ssize_t k
    cdef int64_t place
    for k in range(first, last):
        place = c.columns[k]
        if place < 0 or place >= c.inner:
            c.is_wrong = True
            return total
        total += values[k] * dense[place]
    return total


cdef inline void add_multiple(
    Float* row, const Float* other, Float factor, Py_ssize_t width
) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(width):
        row[j] += factor * other[j]


cdef bint transpose(
    const volatile int64_t* bounds, const volatile int64_t* places, Py_ssize_t rows,
    Py_ssize_t columns, Py_ssize_t total, int64_t* ends, int64_t* at, int64_t* order,
) noexcept nogil:
    cdef Py_ssize_t i, k, before = 0, count
    cdef int64_t place, to, first = 0, last
    if bounds[0] != 0 or bounds[rows] != total:
        return False
    memset(ends, 0, (columns + 1) * sizeof(int64_t))
    for k in range(total):
        place = places[k]
        if place < 0 or place >= columns:
            return False
        ends[place + 1] += 1
    for i in range(1, columns + 1):    # where each row begins, which moves to where it ends
        count = ends[i]
        ends[i] = before
        before += count
    for i in range(rows):
        last = bounds[i + 1]
        if last < first or last > total:
            return False
        for k in range(first, last):
            place = places[k]
            if place < 0 or place >= columns:
                return False
            to = ends[place + 1]
            if to >= total:
                return False
            at[to] = i
            order[to] = k
            ends[place + 1] = to + 1
        first = last
    return True


cdef Py_ssize_t first_wrong(
    const int64_t* bounds, const int64_t* places, Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t count
) noexcept nogil:
    cdef Py_ssize_t i
    if bounds[0] != 0 or bounds[rows] != count:
        return -2
    for i in range(rows):
        if bounds[i] > bounds[i + 1]:
            return -2
    for i in range(count):
        if places[i] < 0 or places[i] >= columns:
            return i
    return -1
