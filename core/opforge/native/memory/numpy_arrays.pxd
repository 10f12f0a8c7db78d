# NumPy arrays whose elements are in pool memory.

cimport numpy as cnp

from opforge.native.memory.buffer cimport Buffer

cdef int code_of_numpy(cnp.ndarray source) noexcept            # element type, or -1
# An array over memory of `buffer`, starting at `data`; it keeps the buffer alive.
cdef cnp.ndarray numpy_on(Buffer buffer, char* data, int code, int ndim, Py_ssize_t* dims)
# An uninitialized array; `nbytes` is the size of its elements.
cdef cnp.ndarray new_numpy(int code, int ndim, Py_ssize_t* dims, Py_ssize_t nbytes)
