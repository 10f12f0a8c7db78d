/* Table of the elementwise operations, one row each. Operation codes and properties (opforge_elementwise.h),
 * kernels (opforge_elementwise_loops.h) and Python names (native/loops/elementwise.pyx) are generated from it.
 *
 * To add an operation, append a row to its list and define its functions in kernels/math:
 * of_NAME_f32, of_NAME_f64, of_NAME_i32 and of_NAME_i64, usually with one or two macros of opforge_scalar.h.
 * A row with ROW also needs of_NAME_row_SUFFIX; a row with BYTE needs OF_INT1 or OF_INT2 for its integers.
 *
 * name    the name in Python
 * loop    EACH: call of_NAME_SUFFIX for each element; ROW: of_NAME_row_SUFFIX processes n elements
 * cost    cost of an element, from which the number of threads is chosen. CHEAP: memory bound; VECTOR: float32
 *         and float64 are vectorized; WIDE: float32 is vectorized in float64; LIBM: a call of libm
 * byte    BYTE: has kernels for uint8 and int8; INT32: these types are converted to int32
 * result  MASK: always 0 or 1; VALUE: any number */
#ifndef OPFORGE_ELEMENTWISE_OPS_H
#define OPFORGE_ELEMENTWISE_OPS_H

/*    name                loop   cost     byte   result    y = f(x) */
#define OPFORGE_UNARY_OPS(X) \
    X(identity,           EACH,  CHEAP,   INT32, VALUE)  \
    X(negative,           EACH,  CHEAP,   BYTE,  VALUE)  \
    X(abs,                EACH,  CHEAP,   BYTE,  VALUE)  \
    X(sign,               EACH,  CHEAP,   BYTE,  VALUE)  \
    X(square,             EACH,  CHEAP,   BYTE,  VALUE)  \
    X(sqrt,               EACH,  CHEAP,   INT32, VALUE)  \
    X(rsqrt,              EACH,  CHEAP,   INT32, VALUE)  \
    X(reciprocal,         EACH,  CHEAP,   INT32, VALUE)  \
    X(relu,               EACH,  CHEAP,   BYTE,  VALUE)  \
    X(softsign,           EACH,  CHEAP,   INT32, VALUE)  \
    X(rint,               EACH,  CHEAP,   INT32, VALUE)  \
    X(round,              EACH,  CHEAP,   INT32, VALUE)  \
    X(ceil,               EACH,  CHEAP,   INT32, VALUE)  \
    X(floor,              EACH,  CHEAP,   INT32, VALUE)  \
    X(trunc,              EACH,  CHEAP,   INT32, VALUE)  \
    X(fix,                EACH,  CHEAP,   INT32, VALUE)  \
    X(degrees,            EACH,  CHEAP,   INT32, VALUE)  \
    X(radians,            EACH,  CHEAP,   INT32, VALUE)  \
    X(logical_not,        EACH,  CHEAP,   BYTE,  MASK)   \
    X(isnan,              EACH,  CHEAP,   INT32, MASK)   \
    X(isinf,              EACH,  CHEAP,   INT32, MASK)   \
    X(isfinite,           EACH,  CHEAP,   INT32, MASK)   \
    X(exp,                EACH,  VECTOR,  INT32, VALUE)  \
    X(log,                EACH,  VECTOR,  INT32, VALUE)  \
    X(sigmoid,            EACH,  VECTOR,  INT32, VALUE)  \
    X(tanh,               EACH,  VECTOR,  INT32, VALUE)  \
    X(erf,                EACH,  VECTOR,  INT32, VALUE)  \
    X(softrelu,           EACH,  VECTOR,  INT32, VALUE)  \
    X(expm1,              EACH,  VECTOR,  INT32, VALUE)  \
    X(log2,               EACH,  VECTOR,  INT32, VALUE)  \
    X(log10,              EACH,  VECTOR,  INT32, VALUE)  \
    X(log1p,              EACH,  VECTOR,  INT32, VALUE)  \
    X(cbrt,               EACH,  WIDE,    INT32, VALUE)  \
    X(rcbrt,              EACH,  WIDE,    INT32, VALUE)  \
    X(sin,                ROW,   WIDE,    INT32, VALUE)  \
    X(cos,                ROW,   WIDE,    INT32, VALUE)  \
    X(tan,                ROW,   WIDE,    INT32, VALUE)  \
    X(arcsin,             EACH,  WIDE,    INT32, VALUE)  \
    X(arccos,             EACH,  WIDE,    INT32, VALUE)  \
    X(arctan,             EACH,  WIDE,    INT32, VALUE)  \
    X(sinh,               EACH,  WIDE,    INT32, VALUE)  \
    X(cosh,               EACH,  WIDE,    INT32, VALUE)  \
    X(arcsinh,            EACH,  WIDE,    INT32, VALUE)  \
    X(arccosh,            EACH,  WIDE,    INT32, VALUE)  \
    X(arctanh,            EACH,  WIDE,    INT32, VALUE)  \
    X(erfinv,             EACH,  LIBM,    INT32, VALUE)  \
    X(gamma,              EACH,  LIBM,    INT32, VALUE)  \
    X(gammaln,            ROW,   WIDE,    INT32, VALUE)  \
    X(digamma,            EACH,  LIBM,    INT32, VALUE)

/* In gradients, a is the head gradient and b the saved output (`_y`) or input (`_x`) of the operation.
 * power_alike is power with all elements of b equal.
 *    name                loop   cost     byte   result    y = f(a, b) */
#define OPFORGE_BINARY_OPS(X) \
    X(add,                EACH,  CHEAP,   BYTE,  VALUE)  \
    X(subtract,           EACH,  CHEAP,   BYTE,  VALUE)  \
    X(multiply,           EACH,  CHEAP,   BYTE,  VALUE)  \
    X(divide,             EACH,  CHEAP,   INT32, VALUE)  \
    X(maximum,            EACH,  CHEAP,   BYTE,  VALUE)  \
    X(minimum,            EACH,  CHEAP,   BYTE,  VALUE)  \
    X(equal,              EACH,  CHEAP,   BYTE,  MASK)   \
    X(not_equal,          EACH,  CHEAP,   BYTE,  MASK)   \
    X(greater,            EACH,  CHEAP,   BYTE,  MASK)   \
    X(greater_equal,      EACH,  CHEAP,   BYTE,  MASK)   \
    X(lesser,             EACH,  CHEAP,   BYTE,  MASK)   \
    X(lesser_equal,       EACH,  CHEAP,   BYTE,  MASK)   \
    X(logical_and,        EACH,  CHEAP,   BYTE,  MASK)   \
    X(logical_or,         EACH,  CHEAP,   BYTE,  MASK)   \
    X(logical_xor,        EACH,  CHEAP,   BYTE,  MASK)   \
    X(relu_grad_y,        EACH,  CHEAP,   INT32, VALUE)  \
    X(sigmoid_grad_y,     EACH,  CHEAP,   INT32, VALUE)  \
    X(tanh_grad_y,        EACH,  CHEAP,   INT32, VALUE)  \
    X(softsign_grad_x,    EACH,  CHEAP,   INT32, VALUE)  \
    X(abs_grad_x,         EACH,  CHEAP,   INT32, VALUE)  \
    X(square_grad_x,      EACH,  CHEAP,   INT32, VALUE)  \
    X(sqrt_grad_y,        EACH,  CHEAP,   INT32, VALUE)  \
    X(rsqrt_grad_y,       EACH,  CHEAP,   INT32, VALUE)  \
    X(reciprocal_grad_y,  EACH,  CHEAP,   INT32, VALUE)  \
    X(cbrt_grad_y,        EACH,  CHEAP,   INT32, VALUE)  \
    X(expm1_grad_y,       EACH,  CHEAP,   INT32, VALUE)  \
    X(log1p_grad_x,       EACH,  CHEAP,   INT32, VALUE)  \
    X(log2_grad_x,        EACH,  CHEAP,   INT32, VALUE)  \
    X(log10_grad_x,       EACH,  CHEAP,   INT32, VALUE)  \
    X(tan_grad_y,         EACH,  CHEAP,   INT32, VALUE)  \
    X(arcsin_grad_x,      EACH,  CHEAP,   INT32, VALUE)  \
    X(arccos_grad_x,      EACH,  CHEAP,   INT32, VALUE)  \
    X(arctan_grad_x,      EACH,  CHEAP,   INT32, VALUE)  \
    X(arcsinh_grad_x,     EACH,  CHEAP,   INT32, VALUE)  \
    X(arccosh_grad_x,     EACH,  CHEAP,   INT32, VALUE)  \
    X(arctanh_grad_x,     EACH,  CHEAP,   INT32, VALUE)  \
    X(mod,                ROW,   WIDE,    INT32, VALUE)  \
    X(power,              EACH,  WIDE,    INT32, VALUE)  \
    X(hypot,              EACH,  WIDE,    INT32, VALUE)  \
    X(arctan2,            EACH,  WIDE,    INT32, VALUE)  \
    X(softrelu_grad_y,    EACH,  WIDE,    INT32, VALUE)  \
    X(sin_grad_x,         ROW,   WIDE,    INT32, VALUE)  \
    X(cos_grad_x,         ROW,   WIDE,    INT32, VALUE)  \
    X(sinh_grad_x,        EACH,  WIDE,    INT32, VALUE)  \
    X(cosh_grad_x,        EACH,  WIDE,    INT32, VALUE)  \
    X(erf_grad_x,         EACH,  WIDE,    INT32, VALUE)  \
    X(erfinv_grad_y,      EACH,  WIDE,    INT32, VALUE)  \
    X(gammaln_grad_x,     EACH,  LIBM,    INT32, VALUE)  \
    X(rcbrt_grad_x,       EACH,  WIDE,    INT32, VALUE)  \
    X(power_alike,        ROW,   WIDE,    INT32, VALUE)

/* Binary operations that have a kernel for a scalar operand, too; for others, the scalar is repeated in a tile.
 *    name          byte */
#define OPFORGE_SCALAR_OPS(X) \
    X(add,           BYTE)  \
    X(subtract,      BYTE)  \
    X(multiply,      BYTE)  \
    X(divide,        INT32) \
    X(maximum,       BYTE)  \
    X(minimum,       BYTE)  \
    X(equal,         BYTE)  \
    X(not_equal,     BYTE)  \
    X(greater,       BYTE)  \
    X(greater_equal, BYTE)  \
    X(lesser,        BYTE)  \
    X(lesser_equal,  BYTE)

#endif
