# Control-flow steps, which run programs of other graphs: loops and branches.

from opforge.native.graph.arena cimport Arena
from opforge.native.graph.program cimport Program
from opforge.native.graph.programs cimport Programs
from opforge.native.graph.steps cimport Step

cdef class ControlStep(Step):
    cdef bint keeps                    # a backward step will read the results of its programs
    cdef Arena arena
    cdef list owners                   # owners of `lent`
    cdef list lent                     # programs held by this step, in execution order
    cdef Program borrow(self, Programs programs)
    cdef int settle(self) except -1    # after the last program: returns what will not be read again

cdef class LoopStep(ControlStep):
    cdef Programs body
    cdef Programs condition            # None: the loop ends with its data
    cdef tuple condition_type          # shape and type code
    cdef list operands                 # (slot, shape, type code) of values kept by the backward pass of each iteration
    cdef list products                 # (input, operand, operand, computation) of gradients computed over all iterations at once
    cdef Py_ssize_t n_data, n_states, length
    cdef Py_ssize_t n_done             # iterations of the last run
    cdef bint goes_on(self, list states, bint train) except -1
    cdef int run_once(self, Py_ssize_t at, list states, list targets, bint train) except -1

cdef class BranchStep(ControlStep):
    cdef Programs condition
    cdef tuple condition_type
    cdef list branches                 # run if the condition is false, and if it is true
    cdef bint chosen                   # branch chosen in the last run
