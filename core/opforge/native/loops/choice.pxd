# Arithmetic: the kernel that computes an operation on an element type, its compute type and its cost.

from opforge.native.kernels.convert cimport opforge_convert_table
from opforge.native.kernels.elementwise cimport (
    opforge_binary_fn, opforge_elementwise_table, opforge_scalar_fn, opforge_unary_fn,
)

# Costs in picoseconds per element for one thread at 3.2 GHz with AVX2 and operands in the L2 and L3 caches,
# the size at which dividing a loop starts to pay off. `parallel_for` divides a loop of at least two grains
# of 5 us if a helper thread is spinning; waking a parked one, which takes 27 to 39 us, requires 16 grains.
cdef enum:
    GRAIN = 5000000
    PER_BYTE = 45                      # add: 170 to 190 for float32, twice that for float64
    CONVERTED = 350                    # 16-bit floats: 210 (square) to 350 (add)
    VECTOR = 700                       # exp 390, tanh 460, sigmoid 500, log 700, softrelu 790, erf 950
    VECTOR_F64 = 2000                  # exp 1240, tanh 1450, sigmoid 1510, log 1950, softrelu 4520
    VECTOR_WIDE = 1500                 # float32 in float64: hypot 800, sin 1100, sinh 2000, power 3500, gammaln 4500
    LIBM = 10000                       # one call per element: in float64 mod 3450, sin 9400, power 14900

cdef struct Arithmetic:
    int op
    int code                           # element type
    int wide                           # compute type
    Py_ssize_t size                    # of an element, in bytes
    opforge_unary_fn unary             # either this one
    opforge_binary_fn binary           # or this one is set
    opforge_scalar_fn scalar           # for a binary operation with a scalar operand, or NULL
    Py_ssize_t cost                    # picoseconds per element
    bint is_memory_bound               # limited by memory bandwidth rather than arithmetic

cdef opforge_elementwise_table* kernel_table
cdef opforge_convert_table* converters

# Return nonzero if the operation or the element type does not exist.
cdef int choose_unary(Arithmetic* kernel, int op, int code) noexcept nogil
cdef int choose_binary(Arithmetic* kernel, int op, int code) noexcept nogil
# The same for a scalar operand `value`, which is stored in `scalar` (8 bytes) in the compute type.
cdef int choose_binary_scalar(Arithmetic* kernel, int op, int code, double value, void* scalar) noexcept nogil
# Specializes the kernel for a right operand that is the scalar at `scalar`, in the compute type: some powers
# then need only multiplication, division or a square root.
cdef void specialize_scalar(Arithmetic* kernel, const void* scalar) noexcept nogil
# Number of elements in a grain, 5 us of work of one thread (parallel.pxd).
cdef inline Py_ssize_t grain_of(Arithmetic* kernel) noexcept nogil:
    return GRAIN // kernel.cost

# The same for elements of `size` bytes that are only moved or converted.
cdef inline Py_ssize_t moving_grain(Py_ssize_t size) noexcept nogil:
    return GRAIN // (PER_BYTE * size)
