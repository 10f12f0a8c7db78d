"""Selection of the kernel, the compute type and the cost of an operation on an element type.

All operations have kernels for float32, float64, int32 and int64; operations that need no wider
arithmetic also have kernels for one-byte integers. Everything else is computed in a wider type.
"""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int32_t
from libc.string cimport memcpy

from opforge.native.kernels.elementwise cimport (
    COMPUTE_F32, COMPUTE_F64, COMPUTE_I32, COMPUTE_I64, opforge_narrow_table,
)
from opforge.native.memory.types cimport F32, F64, I8, I32, I64, N_DTYPES, U8, is_half, itemsize_of

from opforge.native.kernels import isa as _isa

cdef extern from "opforge_elementwise.h" nogil:
    enum:
        UNARY_COUNT, BINARY_power, BINARY_power_alike, BINARY_COUNT
        COST_CHEAP, COST_VECTOR, COST_WIDE
    const unsigned char* opforge_unary_cost
    const unsigned char* opforge_binary_cost

cdef opforge_elementwise_table* kernel_table = <opforge_elementwise_table*>PyCapsule_GetPointer(
    _isa.table("elementwise"), "opforge.kernels.elementwise"
)
cdef opforge_narrow_table* narrow_table = <opforge_narrow_table*>PyCapsule_GetPointer(
    _isa.table("narrow"), "opforge.kernels.narrow"
)
cdef opforge_convert_table* converters = <opforge_convert_table*>PyCapsule_GetPointer(
    _isa.table("convert"), "opforge.kernels.convert"
)

# By element type: index of the kernels, and code of the compute type.
cdef int[N_DTYPES] COMPUTE = [
    COMPUTE_F32, COMPUTE_F64, COMPUTE_F32, COMPUTE_I32, COMPUTE_I32, COMPUTE_I32, COMPUTE_I64,
    COMPUTE_I32, COMPUTE_F32,
]
cdef int[N_DTYPES] WIDE = [F32, F64, F32, I32, I32, I32, I64, I32, F32]

# Operations with kernels for one-byte integers; the kernels return nonzero for any other operation.
cdef bint[UNARY_COUNT] is_narrow_unary
cdef bint[BINARY_COUNT] is_narrow_binary
cdef bint[BINARY_COUNT] has_scalar_kernel
cdef float _zero = 0
for _op in range(UNARY_COUNT):
    is_narrow_unary[_op] = narrow_table.unary[0](_op, NULL, NULL, 0) == 0
for _op in range(BINARY_COUNT):
    is_narrow_binary[_op] = narrow_table.binary[0](_op, NULL, NULL, NULL, 0) == 0
    has_scalar_kernel[_op] = kernel_table.scalar[0](_op, &_zero, &_zero, False, NULL, 0) == 0


cdef inline bint is_byte(int code) noexcept nogil:
    return code == U8 or code == I8


cdef inline void choose(Arithmetic* kernel, int op, int code, bint is_narrow) noexcept nogil:
    kernel.op = op
    kernel.code = code
    kernel.wide = code if is_narrow else WIDE[code]
    kernel.size = itemsize_of(code)


cdef inline Py_ssize_t cheap_cost(Arithmetic* kernel) noexcept nogil:
    return PER_BYTE * kernel.size if kernel.wide == kernel.code else CONVERTED


cdef inline Py_ssize_t vector_cost(int wide) noexcept nogil:
    return VECTOR if wide == F32 else VECTOR_F64 if wide == F64 else LIBM


cdef inline Py_ssize_t wide_cost(int wide) noexcept nogil:
    return VECTOR_WIDE if wide == F32 else LIBM


cdef inline void set_cost(Arithmetic* kernel, int cost) noexcept nogil:
    kernel.is_memory_bound = cost == COST_CHEAP and kernel.wide == kernel.code
    kernel.cost = (
        cheap_cost(kernel) if cost == COST_CHEAP else vector_cost(kernel.wide) if cost == COST_VECTOR
        else wide_cost(kernel.wide) if cost == COST_WIDE else LIBM
    )


cdef int choose_unary(Arithmetic* kernel, int op, int code) noexcept nogil:
    if not 0 <= code < N_DTYPES or not 0 <= op < UNARY_COUNT:
        return 1
    cdef bint is_narrow = is_byte(code) and is_narrow_unary[op]
    choose(kernel, op, code, is_narrow)
    kernel.unary = narrow_table.unary[code == I8] if is_narrow else kernel_table.unary[COMPUTE[code]]
    set_cost(kernel, opforge_unary_cost[op])
    return 0


cdef int choose_binary(Arithmetic* kernel, int op, int code) noexcept nogil:
    if not 0 <= code < N_DTYPES or not 0 <= op < BINARY_COUNT:
        return 1
    cdef bint is_narrow = is_byte(code) and is_narrow_binary[op]
    choose(kernel, op, code, is_narrow)
    kernel.binary = narrow_table.binary[code == I8] if is_narrow else kernel_table.binary[COMPUTE[code]]
    kernel.scalar = (
        NULL if not has_scalar_kernel[op]
        else narrow_table.scalar[code == I8] if is_narrow else kernel_table.scalar[COMPUTE[code]]
    )
    set_cost(kernel, opforge_binary_cost[op])
    return 0


cdef void specialize_scalar(Arithmetic* kernel, const void* scalar) noexcept nogil:
    cdef double exponent
    if kernel.op != BINARY_power:
        return
    kernel.op = BINARY_power_alike
    converters.cast[kernel.wide][F64](scalar, &exponent, 1)
    if exponent in (2, 3, 1, 0, 0.5, -0.5, -1, -2):
        kernel.cost = cheap_cost(kernel)
        kernel.is_memory_bound = kernel.wide == kernel.code


cdef int choose_binary_scalar(Arithmetic* kernel, int op, int code, double value, void* scalar) noexcept nogil:
    cdef int32_t integer
    cdef double half_value
    if choose_binary(kernel, op, code):
        return 1
    if is_half(code):
        converters.cast[F64][code](&value, &half_value, 1)
        converters.cast[code][F32](&half_value, scalar, 1)
    elif kernel.wide == code and is_byte(code):
        converters.cast[F64][I32](&value, &integer, 1)
        if (0 <= integer <= 255) if code == U8 else (-128 <= integer <= 127):
            converters.cast[I32][code](&integer, scalar, 1)
        else:                          # out of range: compute in 32 bits
            choose(kernel, op, code, False)
            kernel.binary = kernel_table.binary[COMPUTE_I32]
            kernel.scalar = kernel_table.scalar[COMPUTE_I32] if has_scalar_kernel[op] else NULL
            kernel.is_memory_bound = False
            memcpy(scalar, &integer, 4)
    else:
        converters.cast[F64][kernel.wide](&value, scalar, 1)
    return 0
