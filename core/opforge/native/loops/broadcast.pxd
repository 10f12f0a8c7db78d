# Layout: two operands that broadcast to one result, with adjacent axes merged where possible.

from opforge.native.memory.types cimport MAX_NDIM

cdef struct Layout:
    int ndim                           # at least 1
    Py_ssize_t size                    # of the result
    Py_ssize_t[MAX_NDIM] dims          # of the result
    Py_ssize_t[2][MAX_NDIM] strides    # of the operands, in elements; 0 for a repeated axis
    bint[2] is_full                    # the operand has the size of the result

# Current position of a walk over the rows of the result, which run along its innermost axis.
cdef struct RowCursor:
    Py_ssize_t[MAX_NDIM] index         # in the result
    Py_ssize_t[2] element              # in each operand

# Moves the cursor to element `start` of the result, and from there to the start of the next row.
cdef void seek_row(Layout* layout, Py_ssize_t start, RowCursor* cursor) noexcept nogil
cdef void next_row(Layout* layout, RowCursor* cursor) noexcept nogil

cdef void make_layout(
    Layout* layout, const Py_ssize_t* a_dims, const Py_ssize_t* b_dims, const Py_ssize_t* y_dims, int ndim
) noexcept nogil
# Returns the elements of operand `which` for elements [start, start + n) of the result: a pointer into the
# operand, or `tile` after copying them there.
cdef const void* gather(
    Layout* layout, int which, const char* data, void* tile, Py_ssize_t size, Py_ssize_t start,
    Py_ssize_t n,
) noexcept nogil
# Copies the operand, broadcast to y_dims.
cdef void expand(
    const char* x, const Py_ssize_t* x_dims, char* y, const Py_ssize_t* y_dims, int ndim, Py_ssize_t size
) noexcept nogil
