# Memory that programs share which do not run at once.

from opforge.native.array.array cimport Array

cdef class Region:
    cdef Array memory                  # bytes
    cdef object users                  # weakly: the programs whose slots lie here
    cdef bint busy                     # a program is in it

cdef class Arena:
    cdef readonly object context
    cdef readonly Py_ssize_t idle_bytes        # of the regions that nobody is in
    cdef Py_ssize_t limit
    cdef list regions
    cdef int occupy(self, Region region) except -1
    cdef Region take(self, Py_ssize_t nbytes)
    cdef int give_back(self, Region region) except -1
    cdef int drop(self, Region region) except -1

cdef Array arena_view(Array memory, Py_ssize_t offset, tuple shape, int code)
