# Values computed from rarely changing arrays, and recomputed only after those were written.

from opforge.native.graph.program cimport Program

cdef class SteadyInputs:
    cdef list values                   # SteadyValue
    cdef list slots                    # slots of a program that receive the values
    cdef list sources                  # slots of that program on which each value depends
    cpdef int put(self, Program program, bint train) except -1     # call before its first step runs
    cpdef int clear(self, Program program) except -1
