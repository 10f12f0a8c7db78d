"""Sizes around one axis: an array of any shape seen as (outer, n, inner)."""


cdef int split_shape(tuple shape, int axis, Extents* extents) except -1:
    cdef Py_ssize_t i, dim
    extents.outer = extents.n = extents.inner = 1
    for i in range(len(shape)):
        dim = shape[i]
        if i < axis:
            extents.outer *= dim
        elif i == axis:
            extents.n = dim
        else:
            extents.inner *= dim
    return 0
