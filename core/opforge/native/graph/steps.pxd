# Steps of programs: a call and its arrays.

from opforge.native.dispatch.plans cimport Plan
from opforge.native.graph.arena cimport Arena
from opforge.native.threads.spans cimport Site

cdef class Step:
    cdef list inputs                   # arguments followed by auxiliary states
    cdef list outputs
    cdef str label                     # name of the node, for errors
    cdef bint has_programs             # it runs programs of graphs nested in its operator
    cdef int run(self, bint train) except -1
    cdef int request(self, Py_ssize_t position, bint adds) except -1   # add or write a result; returns whether that is supported
    cdef Site site(self)               # profiler site
    # For steps that run programs: these use `arena` until their results are no longer needed.
    cdef int enter(self, Arena arena) except -1
    cdef int leave(self) except -1

cdef class OperatorStep(Step):
    cdef Plan plan
    cdef list req                      # of each output
    cdef readonly object instance      # created by a run, and kept until `Program.drop_operators`

cdef class OperatorBackwardStep(Step):
    cdef OperatorStep forward
    cdef list req                      # of each argument's gradient
    cdef list heads(self, reads)
