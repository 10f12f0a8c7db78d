# Layout: two operands that broadcast to one result, with axes merged where that changes nothing.

from opforge.native.memory.types cimport MAX_NDIM

cdef struct Layout:
    int ndim                           # at least 1
    Py_ssize_t size                    # of the result
    Py_ssize_t[MAX_NDIM] dims          # of the result
    Py_ssize_t[2][MAX_NDIM] strides    # of the operands, in elements; 0 where one is repeated
    bint[2] whole                      # the operand is repeated nowhere

# Where a walk over the rows of the result, its innermost axis, has come to.
cdef struct Rows:
    Py_ssize_t[MAX_NDIM] index         # of the result
    Py_ssize_t[2] element              # of each operand

# To any element of the result; from there to the start of the row after it.
cdef void seek_row(Layout* layout, Py_ssize_t start, Rows* at) noexcept nogil
cdef void next_row(Layout* layout, Rows* at) noexcept nogil

cdef void make_layout(
    Layout* layout, const Py_ssize_t* a_dims, const Py_ssize_t* b_dims, const Py_ssize_t* y_dims, int ndim
) noexcept nogil
# Elements [start, start + n) of the result's order of operand `which`: where they lie, or copied to `tile`.
cdef const void* gather(
    Layout* layout, int which, const char* data, void* tile, Py_ssize_t size, Py_ssize_t start,
    Py_ssize_t n,
) noexcept nogil
# Copy the operand, broadcast to y_dims.
cdef void expand(
    const char* x, const Py_ssize_t* x_dims, char* y, const Py_ssize_t* y_dims, int ndim, Py_ssize_t size
) noexcept nogil
