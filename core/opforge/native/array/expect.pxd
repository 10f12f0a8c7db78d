# Argument checks; each error names the function and argument, and states got and expected.

from opforge.native.array.array cimport Array

cdef int expect_shape(str function, str argument, Array a, tuple expected) except -1
cdef int expect_ndim(str function, str argument, Array a, int ndim) except -1
cdef int expect_code(str function, str argument, Array a, int code) except -1
cdef int expect_float(str function, str argument, Array a) except -1
cdef int expect_axis(str function, object axis, int ndim) except -1   # in [0, ndim)
cdef str dtype_name(int code)
cdef tuple without_axis(tuple shape, int axis)
