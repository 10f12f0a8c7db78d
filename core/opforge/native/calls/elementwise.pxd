# Checks shared by the elementwise calls; each raises an error that names the kernel.

from opforge.native.array.array cimport Array

cdef int check_dtype(object name, str argument, Array x, int code) except -1
cdef int check_shape(object name, Array out, tuple shape) except -1
# Checks that `out` has the dtype and shape of `x`, waits for both and returns the array to compute into;
# None if `req` is REQ_NULL.
cdef Array target_like(object name, Array x, Array out, int req)
cdef tuple broadcast_shape(object name, Array a, Array b)                     # the common broadcast shape
cdef int aligned_dims(Array a, int ndim, Py_ssize_t* dims) except -1          # right-aligned, padded with ones
