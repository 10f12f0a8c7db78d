# Programs of one compiled graph, lent to calls and steps.

from opforge.native.array.array cimport Array
from opforge.native.graph.program cimport Program

cdef class Programs:
    cdef object make                   # callable() -> Program
    cdef readonly Py_ssize_t n_forward # number of steps of the forward pass
    cdef readonly Py_ssize_t n_made    # number of programs made so far
    # Slots, or -1 if unused:
    cdef list input_slots, output_slots
    cdef list head_slots               # of output gradients
    cdef list grad_slots               # of input gradients
    cdef list grad_ends                # number of steps after which they are complete
    cdef list free
    cdef Program borrow(self)
    cdef int give_back(self, Program program) except -1    # leaves its arena and drops its caller's arrays

cdef int put_at(Program program, list slots, Py_ssize_t position, Array array) except -1   # does nothing for slot -1
cdef int clear(Program program, list slots) except -1
