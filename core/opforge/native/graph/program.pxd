# Programs: the calls of a graph on settled arrays, run in one go.

from opforge.native.array.array cimport Array
from opforge.native.graph.arena cimport Arena, Region

cdef class Program:
    cdef list steps
    cdef list arrays                   # by slot
    cdef list users                    # by slot: (list, position) of every step that reads or writes it
    cdef dict sums                     # by slot: the step that can add to what it holds, and which result it is
    cdef list nested                   # steps that run programs of their own, in the same arena
    cdef list placed                   # (slot, offset, shape, type code) of what lies in a region
    cdef readonly Py_ssize_t nbytes    # of the region that it needs
    cdef Region region                 # where its slots lie, or None
    cdef Arena arena                   # in which it is now, or None
    cdef object __weakref__
    cpdef int enter(self, Arena arena) except -1
    cpdef int leave(self) except -1
    cdef int occupy(self, Arena arena) except -1
    cdef int settle(self, Region region) except -1
    cdef int set(self, Py_ssize_t slot, Array array) except -1
    cdef bint request(self, Py_ssize_t slot, bint adds) except -1  # whether a slot is added to or written
    cdef int run_range(self, Py_ssize_t begin, Py_ssize_t end, bint train) except -1
