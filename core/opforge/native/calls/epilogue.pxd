# The epilogue of a computation: its steps, and which of the computation's inputs are their operands.

from opforge.abi cimport opforge_step

from opforge.native.array.array cimport Array
from opforge.native.loops.epilogue cimport MAX_STEPS

cdef class Epilogue:
    cdef readonly int n_operands       # array operands
    cdef int n_steps
    cdef opforge_step[MAX_STEPS] steps         # without data
    cdef int describe_operand(self, int k, object operand) except -1
    # Copies the steps with the data of their operands, after checking that they match the result `out`.
    cdef int bind(self, opforge_step* steps, list operands, Array out) except -1
