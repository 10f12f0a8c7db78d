"""Index of the largest or smallest element of rows and columns. Imports only headers.

The extreme of a row is computed block by block, which vectorizes; only the first block that contains it is then
searched for its index.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

from opforge.native.kernels.extremes cimport Element, Extreme, Value, extreme_of, is_more_extreme, value_of
from opforge.native.kernels.folds cimport Max, Min
from opforge.native.kernels.half cimport brain, half
from opforge.native.kernels.reduce cimport opforge_arg_fn, opforge_arg_table

cdef enum:
    LANES = 32
    BLOCK = 8192                       # elements of a row in a block
    COLUMNS = 256
    ROWS = 1 << 30                     # rows with 32-bit indices

cdef inline bint replaces(Extreme* tag, Value a, Value b) noexcept nogil:
    """Return whether `a` replaces the earlier `b`."""
    return is_more_extreme(tag, a, b) & (b == b)


cdef Py_ssize_t index_of(Value top, const Element* x, Value* type_tag, Py_ssize_t n) noexcept nogil:
    """Return the index of the first of n elements that equals `top`; one of them does."""
    cdef Py_ssize_t i = 0
    cdef Value v
    cdef int k, found
    while i + LANES <= n:
        found = 0
        for k in range(LANES):
            v = value_of(x[i + k], type_tag)
            found |= (v == top) | (v != v)
        if found:
            break
        i += LANES
    while i < n - 1:
        v = value_of(x[i], type_tag)
        if v == top or v != v:
            break
        i += 1
    return i


cdef void search_rows(
    Extreme* tag, const Element* x, Value* type_tag, Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n,
    long long* index
) noexcept nogil:
    cdef Py_ssize_t i, j, begin
    cdef Value top, v
    for j in range(w):
        top = extreme_of(tag, x + j * stride, min(n, <Py_ssize_t>BLOCK), type_tag)
        begin = 0
        i = BLOCK
        while i < n:
            v = extreme_of(tag, x + j * stride + i, min(n - i, <Py_ssize_t>BLOCK), type_tag)
            if replaces(tag, v, top):
                top, begin = v, i
            i += BLOCK
        index[j] = begin + index_of(
            top, x + j * stride + begin, type_tag, min(n - begin, <Py_ssize_t>BLOCK)
        )


cdef void search_tile(
    Extreme* tag, const Element* x, Value* type_tag, Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n,
    long long* index
) noexcept nogil:
    """Search up to COLUMNS columns row by row, so that memory is read in order."""
    cdef Value[COLUMNS] top
    cdef int32_t[COLUMNS] position
    cdef Py_ssize_t first = 0, j
    cdef int32_t i, rows
    cdef bint better
    cdef Value v
    for j in range(w):
        top[j] = value_of(x[j], type_tag)
        index[j] = 0
    while first < n:
        rows = <int32_t>min(n - first, <Py_ssize_t>ROWS)
        for j in range(w):
            position[j] = -1
        for i in range(rows):
            for j in range(w):
                v = value_of(x[j], type_tag)
                better = replaces(tag, v, top[j])
                top[j] = v if better else top[j]
                position[j] = i if better else position[j]
            x += stride
        for j in range(w):
            if position[j] >= 0:
                index[j] = first + position[j]
        first += rows


cdef void search(
    Extreme* tag, const Element* x, Value* type_tag, bint by_column, Py_ssize_t w, Py_ssize_t stride,
    Py_ssize_t n, long long* index
) noexcept nogil:
    cdef Py_ssize_t first = 0
    if not by_column:
        search_rows(tag, x, type_tag, w, stride, n, index)
        return
    while first < w:
        search_tile(
            tag, x + first, type_tag, min(w - first, <Py_ssize_t>COLUMNS), stride, n, index + first
        )
        first += COLUMNS


cdef void choose(
    const Element* x, Value* type_tag, bint by_column, int want_min, Py_ssize_t w, Py_ssize_t stride,
    Py_ssize_t n, long long* index
) noexcept nogil:
    cdef Max* largest = NULL
    cdef Min* smallest = NULL
    if want_min:
        search(smallest, x, type_tag, by_column, w, stride, n, index)
    else:
        search(largest, x, type_tag, by_column, w, stride, n, index)


cdef void rows_of(
    int want_min, const Element* x, Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, long long* index
) noexcept nogil:
    if Element is half or Element is brain:
        choose(x, <float*>NULL, False, want_min, w, stride, n, index)
    else:
        choose(x, <Element*>NULL, False, want_min, w, stride, n, index)


cdef void cols_of(
    int want_min, const Element* x, Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, long long* index
) noexcept nogil:
    if Element is half or Element is brain:
        choose(x, <float*>NULL, True, want_min, w, stride, n, index)
    else:
        choose(x, <Element*>NULL, True, want_min, w, stride, n, index)


# Indexed by the element type codes of base/dtypes.py; bool is stored as uint8.
cdef opforge_arg_table table
table.rows[0] = <opforge_arg_fn>rows_of[float]
table.rows[1] = <opforge_arg_fn>rows_of[double]
table.rows[2] = <opforge_arg_fn>rows_of[half]
table.rows[3] = <opforge_arg_fn>rows_of[uint8_t]
table.rows[4] = <opforge_arg_fn>rows_of[int32_t]
table.rows[5] = <opforge_arg_fn>rows_of[int8_t]
table.rows[6] = <opforge_arg_fn>rows_of[int64_t]
table.rows[7] = <opforge_arg_fn>rows_of[uint8_t]
table.rows[8] = <opforge_arg_fn>rows_of[brain]
table.cols[0] = <opforge_arg_fn>cols_of[float]
table.cols[1] = <opforge_arg_fn>cols_of[double]
table.cols[2] = <opforge_arg_fn>cols_of[half]
table.cols[3] = <opforge_arg_fn>cols_of[uint8_t]
table.cols[4] = <opforge_arg_fn>cols_of[int32_t]
table.cols[5] = <opforge_arg_fn>cols_of[int8_t]
table.cols[6] = <opforge_arg_fn>cols_of[int64_t]
table.cols[7] = <opforge_arg_fn>cols_of[uint8_t]
table.cols[8] = <opforge_arg_fn>cols_of[brain]

TABLE = PyCapsule_New(&table, b"opforge.kernels.argreduce", NULL)
