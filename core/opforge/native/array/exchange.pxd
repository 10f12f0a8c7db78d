# Elements to and from NumPy and between arrays.

cimport numpy as cnp

from opforge.native.array.array cimport Array

cdef void copy_elements(int given, int code, const char* source, char* target, Py_ssize_t size) noexcept   # no overlap
cdef int code_of_numpy(cnp.ndarray source) noexcept            # element type, or -1
cdef cnp.ndarray numpy_copy(Array a)                           # waits for nobody
cdef Array array_from(cnp.ndarray source, int code, object context)    # a copy of any layout, converted
cdef int copy_numpy(Array target, cnp.ndarray source) except -1        # same shape, any layout; converts the type
