# The epilogue of one computation: its steps, and which of the computation's inputs are their operands.

from opforge.abi cimport opforge_step

from opforge.native.array.array cimport Array
from opforge.native.loops.epilogue cimport MOST_STEPS

cdef class Epilogue:
    cdef readonly int n_operands       # arrays
    cdef int n_steps
    cdef opforge_step[MOST_STEPS] steps        # without data
    cdef int describe_operand(self, int k, object operand) except -1
    # Copies the steps with the data of their operands, after every check: of `out`, which they are for.
    cdef int put(self, opforge_step* steps, list operands, Array out) except -1
