# Steps of programs: what is called, and on which arrays.

from opforge.native.dispatch.plans cimport Plan
from opforge.native.graph.arena cimport Arena
from opforge.native.threads.spans cimport Site

cdef class Step:
    cdef list inputs                   # arguments, then auxiliary states
    cdef list outputs
    cdef str label                     # the node, for errors
    cdef bint has_programs             # it runs others, of graphs inside of its operator
    cdef int run(self, bint train) except -1
    cdef int request(self, Py_ssize_t position, bint adds) except -1   # whether a result is added or written
    cdef Site site(self)               # of the profiler
    # Of a step that has programs: they lie in `arena`, until nobody needs their results any more.
    cdef int enter(self, Arena arena) except -1
    cdef int leave(self) except -1

cdef class OperatorStep(Step):
    cdef Plan plan
    cdef list req                      # of each output
    cdef readonly object instance      # made in the first run, and kept

cdef class OperatorBackwardStep(Step):
    cdef OperatorStep forward
    cdef list req                      # of each argument's gradient
    cdef list heads(self, reads)
