"""`Programs`: the programs of one compiled graph, borrowed by calls and steps.

All programs are kept: code that runs the graph ten times before the backward passes will need ten
again. The GIL guards them.
"""

cimport cython

from opforge.native.array.array cimport Array
from opforge.native.graph.program cimport Program


@cython.final
cdef class Programs:
    """The programs of one compiled graph.

    Parameters
    ----------
    make : callable
        Returns a new program.
    n_forward : int
        Number of its steps that form the forward pass.
    input_slots, output_slots : list of int
        Slots of inputs and outputs; -1 for an unused input.
    head_slots : list of int
        Slots of the output gradients; -1 if unused.
    grad_slots : list of int
        For each input, the slot of its gradient, or -1.
    grad_ends : list of int
        For each input, the number of steps after which its gradient is complete; 0 without one.

    Examples
    --------
    They are made by the graph compiler: see `opforge.symbol`.
    """

    def __init__(
        self, make, Py_ssize_t n_forward, list input_slots, list output_slots, list head_slots,
        list grad_slots, list grad_ends,
    ):
        self.make = make
        self.n_forward = n_forward
        self.input_slots, self.output_slots = input_slots, output_slots
        self.head_slots, self.grad_slots, self.grad_ends = head_slots, grad_slots, grad_ends
        self.free = []

    cdef Program borrow(self):
        if self.free:
            return <Program>self.free.pop()
        self.n_made += 1
        return <Program?>self.make()

    cdef int give_back(self, Program program) except -1:
        program.leave()
        program.drop_operators()
        clear(program, self.output_slots)
        clear(program, self.input_slots)
        self.free.append(program)
        return 0


cdef int put_at(Program program, list slots, Py_ssize_t position, Array array) except -1:
    cdef Py_ssize_t slot = slots[position]
    if slot >= 0:
        program.set(slot, array)
    return 0


cdef int clear(Program program, list slots) except -1:
    """Empty slots."""
    cdef Py_ssize_t slot
    for slot in slots:
        if slot >= 0:
            program.set(slot, None)
    return 0
