# Values that depend on arrays which seldom change, computed anew only where those were written.

from opforge.native.graph.program cimport Program

cdef class SteadyInputs:
    cdef list values                   # SteadyValue
    cdef list slots                    # of a program, where each value goes
    cdef list sources                  # of it: for each value the slots that hold what it depends on
    cpdef int put(self, Program program, bint train) except -1     # before its first step runs
    cpdef int clear(self, Program program) except -1
