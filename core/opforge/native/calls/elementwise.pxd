# Checks that the faces of the elementwise drivers share; each raises with the kernel's name.

from opforge.native.array.array cimport Array

cdef int check_dtype(object name, str argument, Array x, int code) except -1
cdef int check_shape(object name, Array out, tuple shape) except -1
cdef tuple broadcast_shape(object name, Array a, Array b)                     # that both broadcast to
cdef int aligned_dims(Array a, int ndim, Py_ssize_t* dims) except -1          # right-aligned, ones in front
