# Conversion of NumPy arrays to arrays.

cimport numpy as cnp

from opforge.native.array.array cimport Array

cdef Array array_from(cnp.ndarray source, int code, object context)    # a converted copy; `source` may have any memory layout
cdef int copy_numpy(Array target, cnp.ndarray source) except -1        # same shape, any memory layout; converts the type

cdef object HOST                       # the context of arrays between the CPU and other devices
