# Operation codes, the table and the scalar functions, as C declares them.
#
# `of_name(x)` picks by the C type of its argument and returns that type. Cython is told "double of anything";
# the loops cast to their own type, which to the C compiler is no conversion. `of_name_row` is a whole loop.

from libc.stdint cimport int32_t, int64_t

ctypedef fused real:
    float
    double
    int32_t
    int64_t

cdef extern from "opforge_elementwise.h" nogil:
    enum:
        COMPUTE_F32, COMPUTE_F64, COMPUTE_I32, COMPUTE_I64, COMPUTE_COUNT
        COMPUTE_U8, COMPUTE_I8, COMPUTE_ALL
    ctypedef int (*opforge_unary_fn)(int op, const void* x, void* y, Py_ssize_t n) noexcept nogil
    ctypedef int (*opforge_binary_fn)(
        int op, const void* a, const void* b, void* y, Py_ssize_t n
    ) noexcept nogil
    ctypedef void (*opforge_where_fn)(
        const unsigned char* condition, const void* a, const void* b, void* y, Py_ssize_t n
    ) noexcept nogil
    ctypedef void (*opforge_stream_fn)(const void* tile, void* y, Py_ssize_t nbytes) noexcept nogil
    ctypedef struct opforge_elementwise_table:
        opforge_unary_fn unary[4]
        opforge_binary_fn binary[4]
        opforge_where_fn where[4]
        opforge_stream_fn stream
    ctypedef struct opforge_narrow_table:
        opforge_unary_fn unary[2]
        opforge_binary_fn binary[2]
    enum:
        UNARY_identity, UNARY_negative, UNARY_abs, UNARY_sign, UNARY_square, UNARY_sqrt
        UNARY_rsqrt, UNARY_reciprocal, UNARY_relu, UNARY_softsign, UNARY_rint, UNARY_round
        UNARY_ceil, UNARY_floor, UNARY_trunc, UNARY_fix, UNARY_degrees, UNARY_radians
        UNARY_logical_not, UNARY_isnan, UNARY_isinf, UNARY_isfinite, UNARY_exp, UNARY_log
        UNARY_sigmoid, UNARY_tanh, UNARY_erf, UNARY_softrelu, UNARY_expm1, UNARY_log2
        UNARY_log10, UNARY_log1p, UNARY_cbrt, UNARY_rcbrt, UNARY_sin, UNARY_cos, UNARY_tan
        UNARY_arcsin, UNARY_arccos, UNARY_arctan, UNARY_sinh, UNARY_cosh, UNARY_arcsinh
        UNARY_arccosh, UNARY_arctanh, UNARY_erfinv, UNARY_gamma, UNARY_gammaln, UNARY_digamma
    enum:
        BINARY_add, BINARY_subtract, BINARY_multiply, BINARY_divide, BINARY_maximum
        BINARY_minimum, BINARY_equal, BINARY_not_equal, BINARY_greater, BINARY_greater_equal
        BINARY_lesser, BINARY_lesser_equal, BINARY_logical_and, BINARY_logical_or
        BINARY_logical_xor, BINARY_relu_grad_y, BINARY_sigmoid_grad_y, BINARY_tanh_grad_y
        BINARY_softsign_grad_x, BINARY_abs_grad_x, BINARY_square_grad_x, BINARY_sqrt_grad_y
        BINARY_rsqrt_grad_y, BINARY_reciprocal_grad_y, BINARY_cbrt_grad_y, BINARY_expm1_grad_y
        BINARY_log1p_grad_x, BINARY_log2_grad_x, BINARY_log10_grad_x, BINARY_tan_grad_y
        BINARY_arcsin_grad_x, BINARY_arccos_grad_x, BINARY_arctan_grad_x, BINARY_arcsinh_grad_x
        BINARY_arccosh_grad_x, BINARY_arctanh_grad_x, BINARY_mod, BINARY_power, BINARY_hypot
        BINARY_arctan2, BINARY_softrelu_grad_y, BINARY_sin_grad_x, BINARY_cos_grad_x
        BINARY_sinh_grad_x, BINARY_cosh_grad_x, BINARY_erf_grad_x, BINARY_erfinv_grad_y
        BINARY_gammaln_grad_x, BINARY_rcbrt_grad_x, BINARY_power_alike

cdef extern from "opforge_stores.h" nogil:
    void of_stream(const char* tile, char* y, Py_ssize_t nbytes)

cdef extern from "opforge_pick.h" nogil:
    double of_negative(...)
    double of_abs(...)
    double of_sign(...)
    double of_square(...)
    double of_sqrt(...)
    double of_rsqrt(...)
    double of_reciprocal(...)
    double of_relu(...)
    double of_softsign(...)
    double of_rint(...)
    double of_round(...)
    double of_ceil(...)
    double of_floor(...)
    double of_trunc(...)
    double of_degrees(...)
    double of_radians(...)
    double of_logical_not(...)
    double of_isnan(...)
    double of_isinf(...)
    double of_isfinite(...)
    double of_exp(...)
    double of_log(...)
    double of_sigmoid(...)
    double of_tanh(...)
    double of_erf(...)
    double of_softrelu(...)
    double of_expm1(...)
    double of_log2(...)
    double of_log10(...)
    double of_log1p(...)
    double of_cbrt(...)
    double of_rcbrt(...)
    void of_sin_row(...)
    void of_cos_row(...)
    void of_tan_row(...)
    double of_arcsin(...)
    double of_arccos(...)
    double of_arctan(...)
    double of_sinh(...)
    double of_cosh(...)
    double of_arcsinh(...)
    double of_arccosh(...)
    double of_arctanh(...)
    double of_erfinv(...)
    double of_gamma(...)
    void of_gammaln_row(...)
    double of_digamma(...)
    double of_add(...)
    double of_subtract(...)
    double of_multiply(...)
    double of_divide(...)
    double of_maximum(...)
    double of_minimum(...)
    double of_equal(...)
    double of_not_equal(...)
    double of_greater(...)
    double of_greater_equal(...)
    double of_lesser(...)
    double of_lesser_equal(...)
    double of_logical_and(...)
    double of_logical_or(...)
    double of_logical_xor(...)
    double of_relu_grad_y(...)
    double of_sigmoid_grad_y(...)
    double of_tanh_grad_y(...)
    double of_softsign_grad_x(...)
    double of_abs_grad_x(...)
    double of_square_grad_x(...)
    double of_sqrt_grad_y(...)
    double of_rsqrt_grad_y(...)
    double of_reciprocal_grad_y(...)
    double of_cbrt_grad_y(...)
    double of_expm1_grad_y(...)
    double of_log1p_grad_x(...)
    double of_log2_grad_x(...)
    double of_log10_grad_x(...)
    double of_tan_grad_y(...)
    double of_arcsin_grad_x(...)
    double of_arccos_grad_x(...)
    double of_arctan_grad_x(...)
    double of_arcsinh_grad_x(...)
    double of_arccosh_grad_x(...)
    double of_arctanh_grad_x(...)
    void of_mod_row(...)
    double of_power(...)
    double of_cube(...)
    double of_power_half(...)
    double of_power_minus_half(...)
    double of_power_minus_two(...)
    double of_hypot(...)
    double of_arctan2(...)
    double of_softrelu_grad_y(...)
    void of_sin_grad_x_row(...)
    void of_cos_grad_x_row(...)
    double of_sinh_grad_x(...)
    double of_cosh_grad_x(...)
    double of_erf_grad_x(...)
    double of_erfinv_grad_y(...)
    double of_gammaln_grad_x(...)
    double of_rcbrt_grad_x(...)
