# NumPy arrays whose elements lie in the pool.

cimport numpy as cnp

from opforge.native.memory.buffer cimport Buffer

cdef int code_of_numpy(cnp.ndarray source) noexcept            # element type, or -1
# On memory of `buffer`, from `data` on; it keeps the memory alive.
cdef cnp.ndarray numpy_on(Buffer buffer, char* data, int code, int ndim, Py_ssize_t* dims)
# Uninitialised; `nbytes` is what its elements take.
cdef cnp.ndarray new_numpy(int code, int ndim, Py_ssize_t* dims, Py_ssize_t nbytes)
