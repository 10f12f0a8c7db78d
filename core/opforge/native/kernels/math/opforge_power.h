/* Powers, with special cases for exponents that need only plain arithmetic. */
#ifndef OPFORGE_POWER_H
#define OPFORGE_POWER_H

#include <stddef.h>

#include "opforge_wide_log.h"

/* 2^(b * log2|a|), followed by C99's rules for signs, bases of 1 and exponents of 0. Infinite and zero bases
 * need no special case: the limits of both functions handle them. */
static inline double of_power_wide(double a, double b) {
    double u = fabs(a), l = of_log2_of_positive(u);
    double y = of_exp2_wide(b * (u > 0 ? l : u != u ? u : -INFINITY)), half = 0.5 * b;
    int is_integer = floor(b) == b, odd = is_integer & (floor(half) != half);
    y = (a < 0) & (a >= -OF_FLOAT_MAX) & !is_integer ? NAN : y;
    y = odd ? copysign(y, a) : y;
    return (b == 0) | (a == 1) | ((u == 1) & (fabs(b) > OF_FLOAT_MAX)) ? 1.0 : y;
}
static inline float of_power_f32(float a, float b) { return (float)of_power_wide(a, b); }
static inline double of_power_f64(double a, double b) { return pow(a, b); }
/* Exact modulo 2^64; powers with negative exponents are truncated towards zero. */
static inline int64_t of_power_i64(int64_t a, int64_t b) {
    uint64_t base = (uint64_t)a, result = 1;
    if (b < 0) return a == 1 ? 1 : (a == -1 ? (b & 1 ? -1 : 1) : 0);
    for (; b; b >>= 1, base *= base)
        if (b & 1) result *= base;
    return (int64_t)result;
}
static inline int32_t of_power_i32(int32_t a, int32_t b) { return (int32_t)of_power_i64(a, b); }

/* x^3; float32 is rounded once. */
static inline float of_cube_f32(float x) { return (float)((double)x * x * x); }
static inline double of_cube_f64(double x) { return x * x * x; }
OF_INT1(cube, (U)x * (U)x * (U)x)

/* x^(1/2). Unlike sqrt, it is +0 for -0 and inf for -inf. */
OF_FLOAT1(power_half, OF_PICK(of_sqrt, x)(x == -(T)INFINITY ? (T)INFINITY : x + 0))
OF_INT1(power_half, 0 * x)
OF_FLOAT1(power_minus_half, 1 / OF_PICK(of_sqrt, x)(x == -(T)INFINITY ? (T)INFINITY : x + 0))
OF_INT1(power_minus_half, 0 * x)

/* x^-2. The square of a finite number may overflow or underflow when its reciprocal does not. */
static inline float of_power_minus_two_f32(float x) { return (float)(1 / ((double)x * x)); }
static inline double of_power_minus_two_f64(double x) { return (1 / x) * (1 / x); }
OF_INT1(power_minus_two, x == 1 || x == -1)

/* a[i]^b[i] with all exponents equal.
 *
 * The general loop is a function that is not inlined: GCC 12 does not vectorize it after the comparisons of
 * b[0] (float32 takes 2.7 times as long with AVX2 and 5.5 times with AVX-512). */
#define OF_POWER_ALIKE(T, suffix) \
    __attribute__((noinline)) static void of_power_each_##suffix(const T *a, const T *b, T *y, ptrdiff_t n) { \
        OF_EACH(of_power_##suffix(a[i], b[i])) \
    } \
    static inline void of_power_alike_row_##suffix(const T *a, const T *b, T *y, ptrdiff_t n) { \
        if (n <= 0) return; \
        if (b[0] == 2) OF_EACH(of_square_##suffix(a[i])) \
        else if (b[0] == 3) OF_EACH(of_cube_##suffix(a[i])) \
        else if (b[0] == 1) OF_EACH(a[i]) \
        else if (b[0] == 0) OF_EACH(1) \
        else if (b[0] == 0.5) OF_EACH(of_power_half_##suffix(a[i])) \
        else if (b[0] == -0.5) OF_EACH(of_power_minus_half_##suffix(a[i])) \
        else if (b[0] == -1) OF_EACH(of_reciprocal_##suffix(a[i])) \
        else if (b[0] == -2) OF_EACH(of_power_minus_two_##suffix(a[i])) \
        else of_power_each_##suffix(a, b, y, n); \
    }
#define OF_EACH(expr) { for (ptrdiff_t i = 0; i < n; i++) y[i] = (expr); }
OF_POWER_ALIKE(float, f32)
OF_POWER_ALIKE(double, f64)
OF_POWER_ALIKE(int32_t, i32)
OF_POWER_ALIKE(int64_t, i64)
#undef OF_EACH

#endif
