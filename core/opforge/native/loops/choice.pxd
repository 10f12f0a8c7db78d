# Arithmetic: which kernel computes an operation on an element type, in which type, and what that costs.

from opforge.native.kernels.convert cimport opforge_convert_table
from opforge.native.kernels.elementwise cimport opforge_binary_fn, opforge_elementwise_table, opforge_unary_fn

# Picoseconds an element takes one thread of 3.2 GHz with AVX2, operands in the second and third cache
# levels, where loops that may be split begin. `parallel_for` splits what is worth two grains of 5 us
# where a helper spins, and wakes a parked one, which takes 27 to 39 us, from 16 grains on.
cdef enum:
    GRAIN = 5000000
    PER_BYTE = 45                      # add: 170 to 190 for float32, twice that for float64
    CONVERTED = 350                    # float16: 210 (square) to 350 (add)
    VECTOR = 700                       # exp 390, tanh 460, sigmoid 500, log 700, softrelu 790, erf 950
    VECTOR_F64 = 2000                  # exp 1240, tanh 1450, sigmoid 1510, log 1950, softrelu 4520
    VECTOR_WIDE = 1500                 # float32 in float64: hypot 800, sin 1100, sinh 2000, power 3500, gammaln 4500
    LIBM = 10000                       # a call for each element: in float64 mod 3450, sin 9400, power 14900

cdef struct Arithmetic:
    int op
    int code                           # of the elements
    int wide                           # the element type that is computed in
    Py_ssize_t size                    # of an element
    opforge_unary_fn unary             # one of the two
    opforge_binary_fn binary
    Py_ssize_t cost                    # picoseconds an element
    bint waits                         # for memory, not for the processor

cdef opforge_elementwise_table* kernel_table
cdef opforge_convert_table* converters

# Nonzero: there is no such operation or element type.
cdef int choose_unary(Arithmetic* how, int op, int code) noexcept nogil
cdef int choose_binary(Arithmetic* how, int op, int code) noexcept nogil
# The same for one operand `value`, which is written to `scalar` (8 bytes) in the type that is computed in.
cdef int choose_binary_scalar(Arithmetic* how, int op, int code, double value, void* scalar) noexcept nogil
# To be told that all elements of the right operand are the one at `scalar`, in the type that is computed
# in: some powers are then plain arithmetic.
cdef void repeat_right(Arithmetic* how, const void* scalar) noexcept nogil
# Elements that are worth a grain, 5 us of one thread (parallel.pxd).
cdef inline Py_ssize_t grain_of(Arithmetic* how) noexcept nogil:
    return GRAIN // how.cost

# The same of elements of `size` bytes that are only moved or converted.
cdef inline Py_ssize_t moving_grain(Py_ssize_t size) noexcept nogil:
    return GRAIN // (PER_BYTE * size)
