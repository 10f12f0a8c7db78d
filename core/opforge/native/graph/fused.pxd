# Fused steps: a small program of elementwise kernel calls that runs on one tile after the other.

from opforge.native.graph.steps cimport Step
from opforge.native.loops.choice cimport Arithmetic

cdef enum:
    MAX_REGISTERS = 10
    MAX_OPERANDS = 48                  # registers, constants and arrays together
    SCRATCH = 32768                    # bytes of all registers at most
    LINE = 64                          # what scratch memory is larger, because registers begin at a line

ctypedef char* Pointer

cdef struct Call:
    Arithmetic how
    bint binary
    int a, b, y                        # operands

cdef struct Job:
    Call* calls
    int n_calls
    int n_registers
    int n_constants
    int n_operands
    const char* constants
    Pointer[MAX_OPERANDS] arrays       # by operand; NULL: a register or constant
    int[MAX_OPERANDS] spread           # an input that is broadcast: the register it is spread in, or -1
    Py_ssize_t[MAX_OPERANDS] period    # its elements, of which each stands `repeat` times
    Py_ssize_t[MAX_OPERANDS] repeat
    int[MAX_OPERANDS] streamed         # an output stored past the caches: the register it waits in, or -1
    bint streams                       # whether there is such an output
    Py_ssize_t size                    # bytes of an element
    Py_ssize_t tile                    # bytes of a tile: a register's
    Py_ssize_t n                       # elements

cdef class FusedStep(Step):
    cdef Job job
    cdef int code, n_inputs, n_outputs # outputs: those of the size of the tiles' whole
    cdef list waiting
    cdef unsigned long long masks      # by operand, a bit each: is it a mask when all calls have run
    cdef Py_ssize_t cost               # picoseconds an element
    # Puts the arrays of this run, of `n` elements, into a copy of the job; refuses those that do not fit.
    # `n_outputs` says how many outputs there are of all sizes.
    cdef int settle(self, Job* job, Py_ssize_t n, int n_outputs) except -1
    cdef bint fits(self, int k, Py_ssize_t size, Py_ssize_t n) noexcept
    cdef bint is_apart(self, char* data, Job* job, int base) noexcept
    # Chooses the bytes of a tile, a power of 2: a few of them are to stay in the first-level cache.
    cdef Py_ssize_t choose_tile(self, int n_registers) noexcept
    cdef int put_call(self, int k, str name, int a, int b, int y) except -1
    cdef void note_mask(self, Call* call) noexcept
    cdef int put_constant(self, int k, value) except -1

# Where registers and constants lie, with the registers in `scratch`.
cdef void place_registers(Job* job, char* scratch, Pointer* at) noexcept nogil
# Runs the program on `count` elements, a tile at most, from element `first` on. `at` has the registers and
# constants and receives where the other operands' elements lie.
cdef void run_tile(Job* job, Pointer* at, Py_ssize_t first, Py_ssize_t count) noexcept nogil
