# Steps of programs: what is called, and on which arrays.

from opforge.native.dispatch.plans cimport Plan

cdef class Step:
    cdef list inputs                   # arguments, then auxiliary states
    cdef list outputs
    cdef str label                     # the node, for errors
    cdef int run(self, bint train) except -1

cdef class OperatorStep(Step):
    cdef Plan plan
    cdef readonly object instance      # made in the first run, and kept

cdef class OperatorBackwardStep(Step):
    cdef OperatorStep forward
    cdef list req                      # of each argument's gradient
    cdef list heads(self, reads)
