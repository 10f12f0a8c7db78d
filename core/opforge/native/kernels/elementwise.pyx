"""Elementwise kernels: one loop an operation, for the four types that kernels compute in.

Imports nothing of opforge; compiled once for each instruction set. The loops are left to the C
compiler to vectorise: y may be x, but no other overlap is allowed, which the drivers see to.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from opforge.native.kernels.elementwise cimport *

ctypedef fused word:
    uint8_t
    uint16_t
    uint32_t
    uint64_t

cdef opforge_elementwise_table table


cdef int unary(int op, const real* x, real* y, Py_ssize_t n) noexcept nogil:
    """y[i] = f(x[i])."""
    cdef Py_ssize_t i
    if op == UNARY_identity:
        for i in range(n): y[i] = x[i]
    elif op == UNARY_negative:
        for i in range(n): y[i] = <real>of_negative(x[i])
    elif op == UNARY_abs:
        for i in range(n): y[i] = <real>of_abs(x[i])
    elif op == UNARY_sign:
        for i in range(n): y[i] = <real>of_sign(x[i])
    elif op == UNARY_square:
        for i in range(n): y[i] = <real>of_square(x[i])
    elif op == UNARY_sqrt:
        for i in range(n): y[i] = <real>of_sqrt(x[i])
    elif op == UNARY_rsqrt:
        for i in range(n): y[i] = <real>of_rsqrt(x[i])
    elif op == UNARY_reciprocal:
        for i in range(n): y[i] = <real>of_reciprocal(x[i])
    elif op == UNARY_relu:
        for i in range(n): y[i] = <real>of_relu(x[i])
    elif op == UNARY_softsign:
        for i in range(n): y[i] = <real>of_softsign(x[i])
    elif op == UNARY_rint:
        for i in range(n): y[i] = <real>of_rint(x[i])
    elif op == UNARY_round:
        for i in range(n): y[i] = <real>of_round(x[i])
    elif op == UNARY_ceil:
        for i in range(n): y[i] = <real>of_ceil(x[i])
    elif op == UNARY_floor:
        for i in range(n): y[i] = <real>of_floor(x[i])
    elif op == UNARY_trunc:
        for i in range(n): y[i] = <real>of_trunc(x[i])
    elif op == UNARY_fix:
        for i in range(n): y[i] = <real>of_trunc(x[i])
    elif op == UNARY_degrees:
        for i in range(n): y[i] = <real>of_degrees(x[i])
    elif op == UNARY_radians:
        for i in range(n): y[i] = <real>of_radians(x[i])
    elif op == UNARY_logical_not:
        for i in range(n): y[i] = <real>of_logical_not(x[i])
    elif op == UNARY_isnan:
        for i in range(n): y[i] = <real>of_isnan(x[i])
    elif op == UNARY_isinf:
        for i in range(n): y[i] = <real>of_isinf(x[i])
    elif op == UNARY_isfinite:
        for i in range(n): y[i] = <real>of_isfinite(x[i])
    elif op == UNARY_exp:
        for i in range(n): y[i] = <real>of_exp(x[i])
    elif op == UNARY_log:
        for i in range(n): y[i] = <real>of_log(x[i])
    elif op == UNARY_sigmoid:
        for i in range(n): y[i] = <real>of_sigmoid(x[i])
    elif op == UNARY_tanh:
        for i in range(n): y[i] = <real>of_tanh(x[i])
    elif op == UNARY_erf:
        for i in range(n): y[i] = <real>of_erf(x[i])
    elif op == UNARY_softrelu:
        for i in range(n): y[i] = <real>of_softrelu(x[i])
    elif op == UNARY_expm1:
        for i in range(n): y[i] = <real>of_expm1(x[i])
    elif op == UNARY_log2:
        for i in range(n): y[i] = <real>of_log2(x[i])
    elif op == UNARY_log10:
        for i in range(n): y[i] = <real>of_log10(x[i])
    elif op == UNARY_log1p:
        for i in range(n): y[i] = <real>of_log1p(x[i])
    elif op == UNARY_cbrt:
        for i in range(n): y[i] = <real>of_cbrt(x[i])
    elif op == UNARY_rcbrt:
        for i in range(n): y[i] = <real>of_rcbrt(x[i])
    elif op == UNARY_sin:
        of_sin_row(x, y, n)
    elif op == UNARY_cos:
        of_cos_row(x, y, n)
    elif op == UNARY_tan:
        of_tan_row(x, y, n)
    elif op == UNARY_arcsin:
        for i in range(n): y[i] = <real>of_arcsin(x[i])
    elif op == UNARY_arccos:
        for i in range(n): y[i] = <real>of_arccos(x[i])
    elif op == UNARY_arctan:
        for i in range(n): y[i] = <real>of_arctan(x[i])
    elif op == UNARY_sinh:
        for i in range(n): y[i] = <real>of_sinh(x[i])
    elif op == UNARY_cosh:
        for i in range(n): y[i] = <real>of_cosh(x[i])
    elif op == UNARY_arcsinh:
        for i in range(n): y[i] = <real>of_arcsinh(x[i])
    elif op == UNARY_arccosh:
        for i in range(n): y[i] = <real>of_arccosh(x[i])
    elif op == UNARY_arctanh:
        for i in range(n): y[i] = <real>of_arctanh(x[i])
    elif op == UNARY_erfinv:
        for i in range(n): y[i] = <real>of_erfinv(x[i])
    elif op == UNARY_gamma:
        for i in range(n): y[i] = <real>of_gamma(x[i])
    elif op == UNARY_gammaln:
        of_gammaln_row(x, y, n)
    elif op == UNARY_digamma:
        for i in range(n): y[i] = <real>of_digamma(x[i])
    else:
        return 1
    return 0


cdef void power_alike(const real* a, const real* b, real* y, Py_ssize_t n) noexcept nogil:
    """y[i] = a[i] ** b[i] with all exponents the same: some need no more than plain arithmetic."""
    cdef Py_ssize_t i
    if n <= 0:
        return
    elif b[0] == 2:
        for i in range(n): y[i] = <real>of_square(a[i])
    elif b[0] == 3:
        for i in range(n): y[i] = <real>of_cube(a[i])
    elif b[0] == 1:
        for i in range(n): y[i] = a[i]
    elif b[0] == 0:
        for i in range(n): y[i] = 1
    elif b[0] == 0.5:
        for i in range(n): y[i] = <real>of_power_half(a[i])
    elif b[0] == -0.5:
        for i in range(n): y[i] = <real>of_power_minus_half(a[i])
    elif b[0] == -1:
        for i in range(n): y[i] = <real>of_reciprocal(a[i])
    elif b[0] == -2:
        for i in range(n): y[i] = <real>of_power_minus_two(a[i])
    else:
        for i in range(n): y[i] = <real>of_power(a[i], b[i])


cdef int binary(int op, const real* a, const real* b, real* y, Py_ssize_t n) noexcept nogil:
    """y[i] = f(a[i], b[i])."""
    cdef Py_ssize_t i
    if op == BINARY_add:
        for i in range(n): y[i] = <real>of_add(a[i], b[i])
    elif op == BINARY_subtract:
        for i in range(n): y[i] = <real>of_subtract(a[i], b[i])
    elif op == BINARY_multiply:
        for i in range(n): y[i] = <real>of_multiply(a[i], b[i])
    elif op == BINARY_divide:
        for i in range(n): y[i] = <real>of_divide(a[i], b[i])
    elif op == BINARY_maximum:
        for i in range(n): y[i] = <real>of_maximum(a[i], b[i])
    elif op == BINARY_minimum:
        for i in range(n): y[i] = <real>of_minimum(a[i], b[i])
    elif op == BINARY_equal:
        for i in range(n): y[i] = <real>of_equal(a[i], b[i])
    elif op == BINARY_not_equal:
        for i in range(n): y[i] = <real>of_not_equal(a[i], b[i])
    elif op == BINARY_greater:
        for i in range(n): y[i] = <real>of_greater(a[i], b[i])
    elif op == BINARY_greater_equal:
        for i in range(n): y[i] = <real>of_greater_equal(a[i], b[i])
    elif op == BINARY_lesser:
        for i in range(n): y[i] = <real>of_lesser(a[i], b[i])
    elif op == BINARY_lesser_equal:
        for i in range(n): y[i] = <real>of_lesser_equal(a[i], b[i])
    elif op == BINARY_logical_and:
        for i in range(n): y[i] = <real>of_logical_and(a[i], b[i])
    elif op == BINARY_logical_or:
        for i in range(n): y[i] = <real>of_logical_or(a[i], b[i])
    elif op == BINARY_logical_xor:
        for i in range(n): y[i] = <real>of_logical_xor(a[i], b[i])
    elif op == BINARY_relu_grad_y:
        for i in range(n): y[i] = <real>of_relu_grad_y(a[i], b[i])
    elif op == BINARY_sigmoid_grad_y:
        for i in range(n): y[i] = <real>of_sigmoid_grad_y(a[i], b[i])
    elif op == BINARY_tanh_grad_y:
        for i in range(n): y[i] = <real>of_tanh_grad_y(a[i], b[i])
    elif op == BINARY_softsign_grad_x:
        for i in range(n): y[i] = <real>of_softsign_grad_x(a[i], b[i])
    elif op == BINARY_abs_grad_x:
        for i in range(n): y[i] = <real>of_abs_grad_x(a[i], b[i])
    elif op == BINARY_square_grad_x:
        for i in range(n): y[i] = <real>of_square_grad_x(a[i], b[i])
    elif op == BINARY_sqrt_grad_y:
        for i in range(n): y[i] = <real>of_sqrt_grad_y(a[i], b[i])
    elif op == BINARY_rsqrt_grad_y:
        for i in range(n): y[i] = <real>of_rsqrt_grad_y(a[i], b[i])
    elif op == BINARY_reciprocal_grad_y:
        for i in range(n): y[i] = <real>of_reciprocal_grad_y(a[i], b[i])
    elif op == BINARY_cbrt_grad_y:
        for i in range(n): y[i] = <real>of_cbrt_grad_y(a[i], b[i])
    elif op == BINARY_expm1_grad_y:
        for i in range(n): y[i] = <real>of_expm1_grad_y(a[i], b[i])
    elif op == BINARY_log1p_grad_x:
        for i in range(n): y[i] = <real>of_log1p_grad_x(a[i], b[i])
    elif op == BINARY_log2_grad_x:
        for i in range(n): y[i] = <real>of_log2_grad_x(a[i], b[i])
    elif op == BINARY_log10_grad_x:
        for i in range(n): y[i] = <real>of_log10_grad_x(a[i], b[i])
    elif op == BINARY_tan_grad_y:
        for i in range(n): y[i] = <real>of_tan_grad_y(a[i], b[i])
    elif op == BINARY_arcsin_grad_x:
        for i in range(n): y[i] = <real>of_arcsin_grad_x(a[i], b[i])
    elif op == BINARY_arccos_grad_x:
        for i in range(n): y[i] = <real>of_arccos_grad_x(a[i], b[i])
    elif op == BINARY_arctan_grad_x:
        for i in range(n): y[i] = <real>of_arctan_grad_x(a[i], b[i])
    elif op == BINARY_arcsinh_grad_x:
        for i in range(n): y[i] = <real>of_arcsinh_grad_x(a[i], b[i])
    elif op == BINARY_arccosh_grad_x:
        for i in range(n): y[i] = <real>of_arccosh_grad_x(a[i], b[i])
    elif op == BINARY_arctanh_grad_x:
        for i in range(n): y[i] = <real>of_arctanh_grad_x(a[i], b[i])
    elif op == BINARY_mod:
        of_mod_row(a, b, y, n)
    elif op == BINARY_power:
        for i in range(n): y[i] = <real>of_power(a[i], b[i])
    elif op == BINARY_hypot:
        for i in range(n): y[i] = <real>of_hypot(a[i], b[i])
    elif op == BINARY_arctan2:
        for i in range(n): y[i] = <real>of_arctan2(a[i], b[i])
    elif op == BINARY_softrelu_grad_y:
        for i in range(n): y[i] = <real>of_softrelu_grad_y(a[i], b[i])
    elif op == BINARY_sin_grad_x:
        of_sin_grad_x_row(a, b, y, n)
    elif op == BINARY_cos_grad_x:
        of_cos_grad_x_row(a, b, y, n)
    elif op == BINARY_sinh_grad_x:
        for i in range(n): y[i] = <real>of_sinh_grad_x(a[i], b[i])
    elif op == BINARY_cosh_grad_x:
        for i in range(n): y[i] = <real>of_cosh_grad_x(a[i], b[i])
    elif op == BINARY_erf_grad_x:
        for i in range(n): y[i] = <real>of_erf_grad_x(a[i], b[i])
    elif op == BINARY_erfinv_grad_y:
        for i in range(n): y[i] = <real>of_erfinv_grad_y(a[i], b[i])
    elif op == BINARY_gammaln_grad_x:
        for i in range(n): y[i] = <real>of_gammaln_grad_x(a[i], b[i])
    elif op == BINARY_rcbrt_grad_x:
        for i in range(n): y[i] = <real>of_rcbrt_grad_x(a[i], b[i])
    elif op == BINARY_power_alike:
        power_alike(a, b, y, n)
    else:
        return 1
    return 0


cdef void where(
    const uint8_t* condition, const word* a, const word* b, word* y, Py_ssize_t n
) noexcept nogil:
    """y[i] = a[i] where condition[i], else b[i]."""
    cdef Py_ssize_t i
    for i in range(n):
        y[i] = a[i] if condition[i] else b[i]


cdef void stream(const void* tile, void* y, Py_ssize_t nbytes) noexcept nogil:
    of_stream(<const char*>tile, <char*>y, nbytes)


cdef void fill_table() noexcept:
    table.unary[COMPUTE_F32] = <opforge_unary_fn>&unary[float]
    table.unary[COMPUTE_F64] = <opforge_unary_fn>&unary[double]
    table.unary[COMPUTE_I32] = <opforge_unary_fn>&unary[int32_t]
    table.unary[COMPUTE_I64] = <opforge_unary_fn>&unary[int64_t]
    table.binary[COMPUTE_F32] = <opforge_binary_fn>&binary[float]
    table.binary[COMPUTE_F64] = <opforge_binary_fn>&binary[double]
    table.binary[COMPUTE_I32] = <opforge_binary_fn>&binary[int32_t]
    table.binary[COMPUTE_I64] = <opforge_binary_fn>&binary[int64_t]
    table.where[0] = <opforge_where_fn>&where[uint8_t]
    table.where[1] = <opforge_where_fn>&where[uint16_t]
    table.where[2] = <opforge_where_fn>&where[uint32_t]
    table.where[3] = <opforge_where_fn>&where[uint64_t]
    table.stream = stream


fill_table()
TABLE = PyCapsule_New(&table, "opforge.kernels.elementwise", NULL)
