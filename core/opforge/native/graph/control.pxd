# Steps of control flow: they run programs of other graphs, again and again or one of two.

from opforge.native.graph.arena cimport Arena
from opforge.native.graph.program cimport Program
from opforge.native.graph.programs cimport Programs
from opforge.native.graph.steps cimport Step

cdef class ControlStep(Step):
    cdef bint keeps                    # a backward step will read what its programs computed
    cdef Arena arena
    cdef list owners                   # of `lent`
    cdef list lent                     # the programs that this step has, in the order in which they ran
    cdef Program borrow(self, Programs programs)
    cdef int settle(self) except -1    # after the last program: what nobody will read goes back

cdef class LoopStep(ControlStep):
    cdef Programs body
    cdef Programs condition            # None: the loop ends with its data
    cdef tuple condition_type          # shape and type code
    cdef list operands                 # (slot, shape, type code) of what turns leave behind in their backward pass
    cdef list products                 # (input, operand, operand, computation) of its gradient, of the rows of all turns
    cdef Py_ssize_t n_data, n_states, length
    cdef Py_ssize_t n_done             # of the last run
    cdef bint goes_on(self, list states, bint train) except -1
    cdef int run_once(self, Py_ssize_t at, list states, list targets, bint train) except -1

cdef class BranchStep(ControlStep):
    cdef Programs condition
    cdef tuple condition_type
    cdef list branches                 # what runs where the condition is false, and where it is true
    cdef bint chosen                   # in the last run
