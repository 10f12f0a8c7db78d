# Programs of one compiled graph, lent to whoever runs it.

from opforge.native.array.array cimport Array
from opforge.native.graph.program cimport Program

cdef class Programs:
    cdef object make                   # callable() -> Program
    cdef readonly Py_ssize_t n_forward # how many steps are the forward pass
    cdef readonly Py_ssize_t n_made    # programs that were ever made
    # Slots, -1 where nothing reads or fills it:
    cdef list input_slots, output_slots
    cdef list head_slots               # of the outputs' gradients
    cdef list grad_slots               # of the inputs'
    cdef list grad_ends                # after how many steps they are filled
    cdef list free
    cdef Program borrow(self)
    cdef int give_back(self, Program program) except -1    # it leaves its arena, without its caller's arrays

cdef int put_at(Program program, list slots, Py_ssize_t position, Array array) except -1   # where there is a slot
cdef int clear(Program program, list slots) except -1
