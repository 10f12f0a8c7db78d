/* Powers: of every exponent, and of those few that plain arithmetic computes. */
#ifndef OPFORGE_POWER_H
#define OPFORGE_POWER_H

#include "opforge_wide_log.h"

/* 2^(b * log2|a|), then what C99 says of signs, 1 and exponents of 0: infinite and zero bases come out
 * of the two functions' own limits. */
static inline double of_power_wide(double a, double b) {
    double u = fabs(a), l = of_log2_of_positive(u);
    double y = of_exp2_wide(b * (u > 0 ? l : u != u ? u : -INFINITY)), half = 0.5 * b;
    int whole = floor(b) == b, odd = whole & (floor(half) != half);
    y = (a < 0) & (a >= -OF_FLOAT_MAX) & !whole ? NAN : y;
    y = odd ? copysign(y, a) : y;
    return (b == 0) | (a == 1) | ((u == 1) & (fabs(b) > OF_FLOAT_MAX)) ? 1.0 : y;
}
static inline float of_power_f32(float a, float b) { return (float)of_power_wide(a, b); }
static inline double of_power_f64(double a, double b) { return pow(a, b); }
/* Exact and wrapping; a negative exponent truncates towards zero. */
static inline int64_t of_power_i64(int64_t a, int64_t b) {
    uint64_t base = (uint64_t)a, result = 1;
    if (b < 0) return a == 1 ? 1 : (a == -1 ? (b & 1 ? -1 : 1) : 0);
    for (; b; b >>= 1, base *= base)
        if (b & 1) result *= base;
    return (int64_t)result;
}
static inline int32_t of_power_i32(int32_t a, int32_t b) { return (int32_t)of_power_i64(a, b); }

/* x^3: float32 is rounded once. */
static inline float of_cube_f32(float x) { return (float)((double)x * x * x); }
static inline double of_cube_f64(double x) { return x * x * x; }
OF_INT1(cube, (U)x * (U)x * (U)x)

/* x^(1/2): unlike its root, that of -0 is 0 and that of -inf is inf. */
OF_FLOAT1(power_half, OF_PICK(of_sqrt, x)(x == -(T)INFINITY ? (T)INFINITY : x + 0))
OF_INT1(power_half, 0 * x)
OF_FLOAT1(power_minus_half, 1 / OF_PICK(of_sqrt, x)(x == -(T)INFINITY ? (T)INFINITY : x + 0))
OF_INT1(power_minus_half, 0 * x)

/* x^-2: the square of what is finite may exceed the type or vanish where its inverse does not. */
static inline float of_power_minus_two_f32(float x) { return (float)(1 / ((double)x * x)); }
static inline double of_power_minus_two_f64(double x) { return (1 / x) * (1 / x); }
OF_INT1(power_minus_two, x == 1 || x == -1)

#endif
