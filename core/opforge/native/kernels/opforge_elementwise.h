/* Operation codes of the elementwise kernels, and the table that each instruction set fills.
 *
 * A name occurs once, in one of the two lists; the codes, the C names and the Python names of
 * native/loops/elementwise.pyx all follow from it. New operations go to the end of their list. */
#ifndef OPFORGE_ELEMENTWISE_H
#define OPFORGE_ELEMENTWISE_H

#include <stddef.h>

/* y = f(x) */
#define OPFORGE_UNARY_OPS(X) \
    X(identity) X(negative) X(abs) X(sign) X(square) X(sqrt) X(rsqrt) X(reciprocal) \
    X(relu) X(softsign) X(rint) X(round) X(ceil) X(floor) X(trunc) X(fix) X(degrees) X(radians) \
    X(logical_not) X(isnan) X(isinf) X(isfinite) \
    X(exp) X(log) X(sigmoid) X(tanh) X(erf) X(softrelu) \
    X(expm1) X(log2) X(log10) X(log1p) X(cbrt) X(rcbrt) X(sin) X(cos) X(tan) \
    X(arcsin) X(arccos) X(arctan) X(sinh) X(cosh) X(arcsinh) X(arccosh) X(arctanh) \
    X(erfinv) X(gamma) X(gammaln) X(digamma)

/* y = f(a, b). In the gradients a is the head gradient and b what forward saved: `_y` its
 * output, `_x` its input. `power_alike` is power where all elements of b are the same. */
#define OPFORGE_BINARY_OPS(X) \
    X(add) X(subtract) X(multiply) X(divide) X(maximum) X(minimum) \
    X(equal) X(not_equal) X(greater) X(greater_equal) X(lesser) X(lesser_equal) \
    X(logical_and) X(logical_or) X(logical_xor) \
    X(relu_grad_y) X(sigmoid_grad_y) X(tanh_grad_y) X(softsign_grad_x) X(abs_grad_x) \
    X(square_grad_x) X(sqrt_grad_y) X(rsqrt_grad_y) X(reciprocal_grad_y) X(cbrt_grad_y) \
    X(expm1_grad_y) X(log1p_grad_x) X(log2_grad_x) X(log10_grad_x) X(tan_grad_y) \
    X(arcsin_grad_x) X(arccos_grad_x) X(arctan_grad_x) X(arcsinh_grad_x) X(arccosh_grad_x) \
    X(arctanh_grad_x) \
    X(mod) X(power) X(hypot) X(arctan2) X(softrelu_grad_y) X(sin_grad_x) X(cos_grad_x) \
    X(sinh_grad_x) X(cosh_grad_x) X(erf_grad_x) X(erfinv_grad_y) X(gammaln_grad_x) \
    X(rcbrt_grad_x) X(power_alike)

#define OPFORGE_UNARY_CODE(name) UNARY_##name,
#define OPFORGE_BINARY_CODE(name) BINARY_##name,

enum opforge_unary { OPFORGE_UNARY_OPS(OPFORGE_UNARY_CODE) UNARY_COUNT };
enum opforge_binary { OPFORGE_BINARY_OPS(OPFORGE_BINARY_CODE) BINARY_COUNT };

#undef OPFORGE_UNARY_CODE
#undef OPFORGE_BINARY_CODE

/* The types that kernels compute in; others pass through tiles of converted elements. The last two
 * have kernels for some operations only (kernels/narrow.pyx). */
enum opforge_compute {
    COMPUTE_F32 = 0,
    COMPUTE_F64 = 1,
    COMPUTE_I32 = 2,
    COMPUTE_I64 = 3,
    COMPUTE_COUNT = 4,
    COMPUTE_U8 = 4,
    COMPUTE_I8 = 5,
    COMPUTE_ALL = 6
};

/* All arrays hold n elements; y may be x, a or b itself, but not overlap them otherwise.
 * A nonzero result: there is no such operation. */
typedef int (*opforge_unary_fn)(int op, const void *x, void *y, ptrdiff_t n);
typedef int (*opforge_binary_fn)(int op, const void *a, const void *b, void *y, ptrdiff_t n);
/* y = condition ? a : b, elements moved as bits. */
typedef void (*opforge_where_fn)(const unsigned char *condition, const void *a, const void *b,
                                 void *y, ptrdiff_t n);

/* Copies a tile past the caches (opforge_stores.h). */
typedef void (*opforge_stream_fn)(const void *tile, void *y, ptrdiff_t nbytes);

typedef struct {
    opforge_unary_fn unary[COMPUTE_COUNT];
    opforge_binary_fn binary[COMPUTE_COUNT];
    opforge_where_fn where[4]; /* by log2 of the item size */
    opforge_stream_fn stream;
} opforge_elementwise_table;

typedef struct {
    opforge_unary_fn unary[2]; /* uint8, int8 */
    opforge_binary_fn binary[2];
} opforge_narrow_table;

#endif
