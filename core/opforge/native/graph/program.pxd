# Programs: the calls of a graph on fixed arrays, run together.

from opforge.native.array.array cimport Array
from opforge.native.graph.arena cimport Arena, Region

cdef class Program:
    cdef list steps
    cdef list arrays                   # by slot
    cdef list users                    # by slot: (list, position) of each step that reads or writes it
    cdef dict sums                     # by slot: the step that can add to its contents, and the index of the result
    cdef list nested                   # steps that run other programs in the same arena
    cdef list operators                # steps that call operator objects of authors
    cdef list placed                   # (slot, offset, shape, type code) of the slots in a region
    cdef readonly Py_ssize_t nbytes    # required size of its region
    cdef Region region                 # region of its slots, or None
    cdef Arena arena                   # its current arena, or None
    cdef object __weakref__
    cpdef int enter(self, Arena arena) except -1
    cpdef int leave(self) except -1
    cdef int drop_operators(self) except -1                        # let the next run create its own objects
    cdef int occupy(self, Arena arena) except -1
    cdef int settle(self, Region region) except -1
    cdef int set(self, Py_ssize_t slot, Array array) except -1
    cdef bint request(self, Py_ssize_t slot, bint adds) except -1  # whether a slot is added to or written
    cdef int run_range(self, Py_ssize_t begin, Py_ssize_t end, bint train) except -1
