# Sizes around one axis: an array of any shape seen as (outer, n, inner).

cdef struct Extents:
    Py_ssize_t outer                   # product of the dimensions before the axis
    Py_ssize_t n                       # length of the axis; 1 for a shape without dimensions
    Py_ssize_t inner                   # product of the dimensions after it

# Fills `extents`; `axis` is in [0, ndim).
cdef int split_shape(tuple shape, int axis, Extents* extents) except -1
