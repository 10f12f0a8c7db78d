"""Broadcasting as index arithmetic: mapping elements of the result to elements of the operands."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef enum:
    CHUNK = 4096                       # elements copied at once

ctypedef fused word:
    uint8_t
    uint16_t
    uint32_t
    uint64_t


cdef void make_layout(
    Layout* layout, const Py_ssize_t* a_dims, const Py_ssize_t* b_dims, const Py_ssize_t* y_dims,
    int ndim,
) noexcept nogil:
    cdef Py_ssize_t a_step = 1, b_step = 1, a_stride, b_stride
    cdef Py_ssize_t[MAX_NDIM] dims, a_strides, b_strides
    cdef int axis, n = 0, i
    layout.size = 1
    for axis in range(ndim - 1, -1, -1):           # innermost first
        layout.size *= y_dims[axis]
        if y_dims[axis] == 1:
            continue
        a_stride = a_step if a_dims[axis] != 1 else 0
        b_stride = b_step if b_dims[axis] != 1 else 0
        a_step *= a_dims[axis]
        b_step *= b_dims[axis]
        if (
            n
            and a_stride == a_strides[n - 1] * dims[n - 1]
            and b_stride == b_strides[n - 1] * dims[n - 1]
        ):
            dims[n - 1] *= y_dims[axis]            # both operands are contiguous across the two axes
            continue
        dims[n] = y_dims[axis]
        a_strides[n] = a_stride
        b_strides[n] = b_stride
        n += 1
    if n == 0:
        dims[0] = 1
        a_strides[0] = b_strides[0] = 1
        n = 1
    layout.ndim = n
    for i in range(n):
        layout.dims[i] = dims[n - 1 - i]
        layout.strides[0][i] = a_strides[n - 1 - i]
        layout.strides[1][i] = b_strides[n - 1 - i]
    layout.is_full[0] = a_step == layout.size
    layout.is_full[1] = b_step == layout.size


cdef inline Py_ssize_t locate(
    Layout* layout, const Py_ssize_t* strides, Py_ssize_t start, Py_ssize_t* index
) noexcept nogil:
    """Fill the multi-index of element `start` of the result; return the index of the operand's element."""
    cdef Py_ssize_t offset = 0
    cdef int axis
    for axis in range(layout.ndim - 1, -1, -1):
        index[axis] = start % layout.dims[axis]
        start //= layout.dims[axis]
        offset += index[axis] * strides[axis]
    return offset


cdef void seek_row(Layout* layout, Py_ssize_t start, RowCursor* cursor) noexcept nogil:
    cursor.element[0] = locate(layout, layout.strides[0], start, cursor.index)
    cursor.element[1] = locate(layout, layout.strides[1], start, cursor.index)


cdef void next_row(Layout* layout, RowCursor* cursor) noexcept nogil:
    cdef int axis, last = layout.ndim - 1, which
    cdef Py_ssize_t step
    for which in range(2):
        cursor.element[which] -= cursor.index[last] * layout.strides[which][last]
    cursor.index[last] = 0
    for axis in range(last - 1, -1, -1):
        cursor.index[axis] += 1
        step = 0 if cursor.index[axis] < layout.dims[axis] else layout.dims[axis]
        for which in range(2):
            cursor.element[which] += layout.strides[which][axis] * (1 - step)
        if step == 0:
            return
        cursor.index[axis] = 0


cdef inline Py_ssize_t next_row_offset(
    Layout* layout, const Py_ssize_t* strides, Py_ssize_t offset, Py_ssize_t* index
) noexcept nogil:
    """Advance the index to the next row; return the index of the operand's element there."""
    cdef int axis
    for axis in range(layout.ndim - 2, -1, -1):
        index[axis] += 1
        offset += strides[axis]
        if index[axis] < layout.dims[axis]:
            break
        index[axis] = 0
        offset -= strides[axis] * layout.dims[axis]
    return offset


cdef void copy_rows(
    Layout* layout, const Py_ssize_t* strides, const word* data, word* tile, Py_ssize_t start,
    Py_ssize_t n,
) noexcept nogil:
    """Copy row by row; the first and the last row may be partial."""
    cdef Py_ssize_t[MAX_NDIM] index
    cdef int last = layout.ndim - 1
    cdef Py_ssize_t row = layout.dims[last], step = strides[last], done = 0, count, i
    cdef Py_ssize_t offset = locate(layout, strides, start, index)
    cdef word value
    while done < n:
        count = min(row - index[last], n - done)
        if step == 0:
            value = data[offset]
            for i in range(count):
                tile[done + i] = value
        else:
            for i in range(count):
                tile[done + i] = data[offset + i]
        done += count
        offset = next_row_offset(layout, strides, offset - index[last] * step, index)
        index[last] = 0


cdef const void* gather(
    Layout* layout, int which, const char* data, void* tile, Py_ssize_t size, Py_ssize_t start,
    Py_ssize_t n,
) noexcept nogil:
    cdef Py_ssize_t[MAX_NDIM] index
    cdef const Py_ssize_t* strides = layout.strides[which]
    cdef Py_ssize_t row = layout.dims[layout.ndim - 1]
    if layout.is_full[which]:
        return data + start * size
    if strides[layout.ndim - 1] != 0 and start % row + n <= row:
        return data + locate(layout, strides, start, index) * size
    if size == 4:
        copy_rows[uint32_t](layout, strides, <const uint32_t*>data, <uint32_t*>tile, start, n)
    elif size == 8:
        copy_rows[uint64_t](layout, strides, <const uint64_t*>data, <uint64_t*>tile, start, n)
    elif size == 2:
        copy_rows[uint16_t](layout, strides, <const uint16_t*>data, <uint16_t*>tile, start, n)
    else:
        copy_rows[uint8_t](layout, strides, <const uint8_t*>data, <uint8_t*>tile, start, n)
    return tile


cdef void expand(
    const char* x, const Py_ssize_t* x_dims, char* y, const Py_ssize_t* y_dims, int ndim,
    Py_ssize_t size,
) noexcept nogil:
    cdef Layout layout
    cdef Py_ssize_t start = 0, n
    cdef const void* source
    make_layout(&layout, x_dims, y_dims, y_dims, ndim)
    while start < layout.size:
        n = min(<Py_ssize_t>CHUNK, layout.size - start)
        source = gather(&layout, 0, x, y + start * size, size, start, n)
        if source != <const void*>(y + start * size):
            memcpy(y + start * size, source, n * size)
        start += n
