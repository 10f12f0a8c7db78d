# Fused steps: a short program of elementwise kernel calls, run tile by tile.

from opforge.native.graph.steps cimport Step
from opforge.native.loops.choice cimport Arithmetic

cdef enum:
    MAX_REGISTERS = 10
    MAX_OPERANDS = 48                  # registers, constants and arrays in total
    SCRATCH = 32768                    # maximum bytes of all registers
    LINE = 64                          # extra scratch bytes for aligning registers to a cache line

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
    Pointer[MAX_OPERANDS] arrays       # indexed by operand; NULL: a register or constant
    int[MAX_OPERANDS] spread           # register into which a broadcast input is expanded, or -1
    Py_ssize_t[MAX_OPERANDS] repeat    # elements of the result for each of its rows
    Py_ssize_t[MAX_OPERANDS] period    # number of its rows
    Py_ssize_t[MAX_OPERANDS] lanes     # elements of a row
    int[MAX_OPERANDS] buffer           # register for a converted array, or for one stored with non-temporal writes, or -1
    int first_output
    bint streams                       # whether any output is stored with non-temporal writes
    int stored, wide                   # element type, and that of registers
    Py_ssize_t stored_size, size       # bytes of their elements
    Py_ssize_t tile                    # bytes of a tile, and of a register
    Py_ssize_t n                       # elements

# The operands of one thread at its current tile.
cdef struct Tile:
    Pointer[MAX_OPERANDS] at           # addresses of their elements
    Py_ssize_t[MAX_OPERANDS] held      # broadcast inputs: index of the element that a register repeats from, or -1
    Py_ssize_t[MAX_OPERANDS] count     # and the number of valid elements in it

cdef class FusedStep(Step):
    cdef Job job
    cdef int code, n_inputs, n_outputs # outputs: only those with the full size
    cdef list loading, waiting
    cdef unsigned long long masks      # one bit per operand: does it hold a mask after all calls
    cdef Py_ssize_t cost               # picoseconds per element
    # Store the arrays of this run, of `n` elements, in a copy of the job; reject mismatched ones.
    # `n_outputs` is the number of outputs of any size.
    cdef int settle(self, Job* job, Py_ssize_t n, int n_outputs) except -1
    cdef bint fits(self, int k, Py_ssize_t size, Py_ssize_t n) noexcept
    cdef bint is_apart(self, char* data, Job* job, int base) noexcept
    # Choose the bytes of a tile, a power of 2, so that a few tiles fit into the L1 cache.
    cdef Py_ssize_t choose_tile(self, int n_registers) noexcept
    cdef int put_spread(
        self, int k, int register, Py_ssize_t repeat, Py_ssize_t period, Py_ssize_t lanes
    ) except -1
    cdef int put_call(self, int k, str name, int a, int b, int y) except -1
    cdef void note_mask(self, Call* call) noexcept
    cdef int put_constant(self, int k, value) except -1

# Fill in the addresses of registers and constants, with the registers in `scratch`, which are empty.
cdef void place_registers(Job* job, char* scratch, Tile* tile) noexcept nogil
# Run the program on `count` elements, at most a tile, from element `first` on. `tile` holds the addresses of
# registers and constants, and receives those of the other operands' elements.
cdef void run_tile(Job* job, Tile* tile, Py_ssize_t first, Py_ssize_t count) noexcept nogil
