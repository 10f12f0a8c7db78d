# Memory shared by programs that do not run at the same time.

from opforge.native.array.array cimport Array

cdef class Region:
    cdef Array memory                  # bytes
    cdef object users                  # weak references to the programs whose slots are here
    cdef bint busy                     # in use by a program

cdef class Arena:
    cdef readonly object context
    cdef readonly Py_ssize_t idle_bytes        # bytes of the unused regions
    cdef Py_ssize_t limit
    cdef list regions
    cdef int occupy(self, Region region) except -1
    cdef Region take(self, Py_ssize_t nbytes)
    cdef int give_back(self, Region region) except -1
    cdef int drop(self, Region region) except -1

cdef Array arena_view(Array memory, Py_ssize_t offset, tuple shape, int code)
