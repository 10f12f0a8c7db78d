"""Which kernel computes an operation on an element type, in which type, and what that costs.

There are kernels of all operations for float32, float64, int32 and int64, and of some for one-byte
integers, whose result then needs no wider arithmetic. Everything else is computed in a wider type.
"""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int32_t
from libc.string cimport memcpy

from opforge.native.kernels.elementwise cimport (
    COMPUTE_F32, COMPUTE_F64, COMPUTE_I32, COMPUTE_I64, opforge_narrow_table,
)
from opforge.native.memory.types cimport F16, F32, F64, I8, I32, I64, U8, itemsize_of

from opforge.native.kernels import isa as _isa

cdef extern from "opforge_elementwise.h" nogil:
    enum:
        UNARY_exp, UNARY_cbrt, UNARY_erfinv, UNARY_gammaln, UNARY_COUNT
        BINARY_mod, BINARY_power, BINARY_gammaln_grad_x, BINARY_power_alike, BINARY_COUNT

cdef opforge_elementwise_table* kernel_table = <opforge_elementwise_table*>PyCapsule_GetPointer(
    _isa.table("elementwise"), "opforge.kernels.elementwise"
)
cdef opforge_narrow_table* narrow_table = <opforge_narrow_table*>PyCapsule_GetPointer(
    _isa.table("narrow"), "opforge.kernels.narrow"
)
cdef opforge_convert_table* converters = <opforge_convert_table*>PyCapsule_GetPointer(
    _isa.table("convert"), "opforge.kernels.convert"
)

# By element code: the kernels' type, and its element code.
cdef int[8] COMPUTE = [
    COMPUTE_F32, COMPUTE_F64, COMPUTE_F32, COMPUTE_I32, COMPUTE_I32, COMPUTE_I32, COMPUTE_I64,
    COMPUTE_I32,
]
cdef int[8] WIDE = [F32, F64, F32, I32, I32, I32, I64, I32]

# What one-byte integers have kernels for: these refuse an operation that they do not know.
cdef bint[UNARY_COUNT] is_narrow_unary
cdef bint[BINARY_COUNT] is_narrow_binary
for _op in range(UNARY_COUNT):
    is_narrow_unary[_op] = narrow_table.unary[0](_op, NULL, NULL, 0) == 0
for _op in range(BINARY_COUNT):
    is_narrow_binary[_op] = narrow_table.binary[0](_op, NULL, NULL, NULL, 0) == 0


cdef inline bint is_byte(int code) noexcept nogil:
    return code == U8 or code == I8


cdef inline void choose(Arithmetic* how, int op, int code, bint narrow) noexcept nogil:
    how.op = op
    how.code = code
    how.wide = code if narrow else WIDE[code]
    how.size = itemsize_of(code)


cdef inline Py_ssize_t cheap_cost(Arithmetic* how) noexcept nogil:
    return PER_BYTE * how.size if how.wide == how.code else CONVERTED


cdef inline Py_ssize_t vector_cost(int wide) noexcept nogil:
    return VECTOR if wide == F32 else VECTOR_F64 if wide == F64 else LIBM


cdef inline Py_ssize_t wide_cost(int wide) noexcept nogil:
    return VECTOR_WIDE if wide == F32 else LIBM


cdef int choose_unary(Arithmetic* how, int op, int code) noexcept nogil:
    if not 0 <= code < 8 or not 0 <= op < UNARY_COUNT:
        return 1
    cdef bint narrow = is_byte(code) and is_narrow_unary[op], cheap = op < UNARY_exp
    choose(how, op, code, narrow)
    how.unary = narrow_table.unary[code == I8] if narrow else kernel_table.unary[COMPUTE[code]]
    how.waits = cheap and how.wide == code
    how.cost = (
        cheap_cost(how) if cheap else vector_cost(how.wide) if op < UNARY_cbrt
        else wide_cost(how.wide) if op < UNARY_erfinv or op == UNARY_gammaln else LIBM
    )
    return 0


cdef int choose_binary(Arithmetic* how, int op, int code) noexcept nogil:
    if not 0 <= code < 8 or not 0 <= op < BINARY_COUNT:
        return 1
    cdef bint narrow = is_byte(code) and is_narrow_binary[op], cheap = op < BINARY_mod
    choose(how, op, code, narrow)
    how.binary = narrow_table.binary[code == I8] if narrow else kernel_table.binary[COMPUTE[code]]
    how.waits = cheap and how.wide == code
    how.cost = cheap_cost(how) if cheap else LIBM if op == BINARY_gammaln_grad_x else wide_cost(how.wide)
    return 0


cdef void repeat_right(Arithmetic* how, const void* scalar) noexcept nogil:
    cdef double exponent
    if how.op != BINARY_power:
        return
    how.op = BINARY_power_alike
    converters.cast[how.wide][F64](scalar, &exponent, 1)
    if exponent in (2, 3, 1, 0, 0.5, -0.5, -1, -2):
        how.cost = cheap_cost(how)
        how.waits = how.wide == how.code


cdef int choose_binary_scalar(Arithmetic* how, int op, int code, double value, void* scalar) noexcept nogil:
    cdef int32_t whole
    cdef double half
    if choose_binary(how, op, code):
        return 1
    if code == F16:
        converters.cast[F64][F16](&value, &half, 1)
        converters.cast[F16][F32](&half, scalar, 1)
    elif how.wide == code and is_byte(code):
        converters.cast[F64][I32](&value, &whole, 1)
        if (0 <= whole <= 255) if code == U8 else (-128 <= whole <= 127):
            converters.cast[I32][code](&whole, scalar, 1)
        else:                          # it meets the elements in 32 bits
            choose(how, op, code, False)
            how.binary = kernel_table.binary[COMPUTE_I32]
            how.waits = False
            memcpy(scalar, &whole, 4)
    else:
        converters.cast[F64][how.wide](&value, scalar, 1)
    return 0
