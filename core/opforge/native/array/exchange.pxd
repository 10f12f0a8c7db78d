# Elements from NumPy to arrays.

cimport numpy as cnp

from opforge.native.array.array cimport Array

cdef Array array_from(cnp.ndarray source, int code, object context)    # a copy of any layout, converted
cdef int copy_numpy(Array target, cnp.ndarray source) except -1        # same shape, any layout; converts the type
