# Creation of arrays.

from opforge.native.array.array cimport Array

cdef int set_zero(Array target) except -1      # on any device; does not wait for tasks
