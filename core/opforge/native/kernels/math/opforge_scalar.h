/* Scalar arithmetic of the elementwise kernels, one function for each name and compute type.
 *
 * The loops of opforge_elementwise_loops.h call `of_name_f32`, `_f64`, `_i32` and `_i64`. Functions are
 * branch-free if the hardware allows it, so that the loops vectorize. Integers wrap, and nothing traps:
 * x / 0 and x % 0 are 0 for integers. */
#ifndef OPFORGE_SCALAR_H
#define OPFORGE_SCALAR_H

#include <math.h>
#include <stdint.h>

#include "opforge_truncate.h"

#define OF_PI 3.14159265358979323846
#define OF_LN2 0.693147180559945309417
#define OF_LN10 2.30258509299404568402
#define OF_PICK(name, x) \
    _Generic((x), float: name##_f32, double: name##_f64, int32_t: name##_i32, int64_t: name##_i64)

/* Define a function of both float types by one expression of x (or a and b); T is the type. */
#define OF_FLOAT1(name, expr) \
    static inline float of_##name##_f32(float x) { typedef float T; return (T)(expr); } \
    static inline double of_##name##_f64(double x) { typedef double T; return (T)(expr); }
#define OF_FLOAT2(name, expr) \
    static inline float of_##name##_f32(float a, float b) { typedef float T; return (T)(expr); } \
    static inline double of_##name##_f64(double a, double b) { typedef double T; return (T)(expr); }
/* Define a function of all integer types by one expression; U is the unsigned type, whose overflow wraps. Only
 * some of the one-byte functions have kernels (opforge_narrow_kernels.h). */
#define OF_INT1(name, expr) \
    OF_INT1_OF(name, expr, int32_t, uint32_t, i32) OF_INT1_OF(name, expr, int64_t, uint64_t, i64) \
    OF_INT1_OF(name, expr, int8_t, uint8_t, i8) OF_INT1_OF(name, expr, uint8_t, uint8_t, u8)
#define OF_INT1_OF(name, expr, Type, Unsigned, suffix) \
    static inline Type of_##name##_##suffix(Type x) { \
        typedef Type T; typedef Unsigned U; (void)(U)0; return (T)(expr); }
#define OF_INT2(name, expr) \
    OF_INT2_OF(name, expr, int32_t, uint32_t, i32) OF_INT2_OF(name, expr, int64_t, uint64_t, i64) \
    OF_INT2_OF(name, expr, int8_t, uint8_t, i8) OF_INT2_OF(name, expr, uint8_t, uint8_t, u8)
#define OF_INT2_OF(name, expr, Type, Unsigned, suffix) \
    static inline Type of_##name##_##suffix(Type a, Type b) { \
        typedef Type T; typedef Unsigned U; (void)(U)0; return (T)(expr); }
/* Define rarely used functions by the float64 function, so that float32 is rounded only once. */
#define OF_NARROW1(name) \
    static inline float of_##name##_f32(float x) { return (float)of_##name##_f64(x); } \
    OF_INT_VIA_F64(name)
#define OF_INT_VIA_F64(name) \
    static inline int32_t of_##name##_i32(int32_t x) { return (int32_t)of_truncate_f64_i64(of_##name##_f64(x)); } \
    static inline int64_t of_##name##_i64(int64_t x) { return of_truncate_f64_i64(of_##name##_f64((double)x)); }
#define OF_RARE1(name, expr) \
    static inline double of_##name##_f64(double x) { return expr; } \
    OF_NARROW1(name)
#define OF_NARROW2(name) \
    static inline float of_##name##_f32(float a, float b) { return (float)of_##name##_f64(a, b); } \
    OF_INT2_VIA_F64(name)
#define OF_INT2_VIA_F64(name) \
    static inline int32_t of_##name##_i32(int32_t a, int32_t b) { \
        return (int32_t)of_truncate_f64_i64(of_##name##_f64(a, b)); } \
    static inline int64_t of_##name##_i64(int64_t a, int64_t b) { \
        return of_truncate_f64_i64(of_##name##_f64((double)a, (double)b)); }
#define OF_RARE2(name, expr) \
    static inline double of_##name##_f64(double a, double b) { return expr; } \
    OF_NARROW2(name)

static inline float of_sqrt_f32(float x) { return sqrtf(x); }
static inline double of_sqrt_f64(double x) { return sqrt(x); }
OF_INT_VIA_F64(sqrt)
static inline float of_abs_f32(float x) { return fabsf(x); }
static inline double of_abs_f64(double x) { return fabs(x); }
OF_FLOAT1(identity, x)
OF_INT1(identity, x)
OF_INT1(abs, x < 0 ? (T)(0 - (U)x) : x)
OF_INT1(negative, 0 - (U)x)
OF_FLOAT1(negative, -x)
OF_FLOAT1(sign, x > 0 ? (T)1 : (x < 0 ? (T)-1 : (T)0))
OF_INT1(sign, (x > 0) - (x < 0))
OF_FLOAT1(square, x * x)
OF_INT1(square, (U)x * (U)x)
OF_FLOAT1(reciprocal, 1 / x)
OF_INT1(reciprocal, x == 1 ? 1 : (x == -1 ? -1 : 0))
static inline float of_rsqrt_f32(float x) { return 1.0f / sqrtf(x); }
static inline double of_rsqrt_f64(double x) { return 1.0 / sqrt(x); }
OF_INT_VIA_F64(rsqrt)
OF_FLOAT1(relu, x < 0 ? (T)0 : x)
OF_INT1(relu, x < 0 ? 0 : x)
OF_FLOAT1(logical_not, x == 0)
OF_INT1(logical_not, x == 0)
OF_FLOAT1(isnan, x != x)
OF_INT1(isnan, 0 * x)
OF_FLOAT1(isinf, x - x != 0 && x == x)
OF_INT1(isinf, 0 * x)
OF_FLOAT1(isfinite, x - x == 0)
OF_INT1(isfinite, 1 + 0 * x)
static inline float of_ceil_f32(float x) { return ceilf(x); }
static inline double of_ceil_f64(double x) { return ceil(x); }
static inline float of_floor_f32(float x) { return floorf(x); }
static inline double of_floor_f64(double x) { return floor(x); }
static inline float of_trunc_f32(float x) { return truncf(x); }
static inline double of_trunc_f64(double x) { return trunc(x); }
OF_INT1(ceil, x) OF_INT1(floor, x) OF_INT1(trunc, x) OF_INT1(rint, x) OF_INT1(round, x)
OF_FLOAT1(fix, OF_PICK(of_trunc, x)(x))
OF_INT1(fix, x)
/* As in MXNet: rint rounds ties down, round rounds them away from zero. */
OF_FLOAT1(rint, x - OF_PICK(of_floor, x)(x) <= OF_PICK(of_ceil, x)(x) - x ? OF_PICK(of_floor, x)(x) : OF_PICK(of_ceil, x)(x))
static inline float of_round_f32(float x) {
    float t = truncf(x);
    return copysignf(fabsf(t) + (fabsf(x - t) >= 0.5f ? 1.0f : 0.0f), x);
}
static inline double of_round_f64(double x) {
    double t = trunc(x);
    return copysign(fabs(t) + (fabs(x - t) >= 0.5 ? 1.0 : 0.0), x);
}
OF_FLOAT1(degrees, x * (T)(180.0 / OF_PI)) OF_INT_VIA_F64(degrees)
OF_FLOAT1(radians, x * (T)(OF_PI / 180.0)) OF_INT_VIA_F64(radians)
OF_FLOAT1(softsign, x / (1 + OF_PICK(of_abs, x)(x)))
OF_INT1(softsign, 0 * x)

OF_FLOAT2(add, a + b)              OF_INT2(add, (U)a + (U)b)
OF_FLOAT2(subtract, a - b)         OF_INT2(subtract, (U)a - (U)b)
OF_FLOAT2(multiply, a * b)         OF_INT2(multiply, (U)a * (U)b)
OF_FLOAT2(divide, a / b)
OF_INT2(divide, b == 0 ? 0 : (b == -1 ? (T)(0 - (U)a) : a / b))
/* NaN in either operand propagates, as in NumPy. */
OF_FLOAT2(maximum, a > b || a != a ? a : b)
OF_FLOAT2(minimum, a < b || a != a ? a : b)
OF_INT2(maximum, a > b ? a : b)
OF_INT2(minimum, a < b ? a : b)
/* Comparisons return 0 or 1 in the type of the operands. */
#define OF_COMPARE(name, expr) OF_FLOAT2(name, expr) OF_INT2(name, expr)
OF_COMPARE(equal, a == b)
OF_COMPARE(not_equal, a != b)
OF_COMPARE(greater, a > b)
OF_COMPARE(greater_equal, a >= b)
OF_COMPARE(lesser, a < b)
OF_COMPARE(lesser_equal, a <= b)
OF_COMPARE(logical_and, (a != 0) & (b != 0))
OF_COMPARE(logical_or, (a != 0) | (b != 0))
OF_COMPARE(logical_xor, (a != 0) ^ (b != 0))

#endif
