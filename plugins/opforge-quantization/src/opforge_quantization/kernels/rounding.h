/* Conversion of float32 to integers as in oneDNN: to nearest, ties to even, then saturated. */
#ifndef OPFORGE_QUANTIZED_ROUNDING_H
#define OPFORGE_QUANTIZED_ROUNDING_H

#include <math.h>
#include <stdint.h>

/* Round |x| < 2^22; unlike rintf, it is vectorized for all instruction sets. */
static inline float round_to_even(float x) {
    const float shift = 12582912.0f; /* 1.5 * 2^23: the sum has no bits for fractions */
    return (x + shift) - shift;
}

/* NaN is 127, as in MXNet. */
static inline int8_t to_int8(float x) {
    x = x < 127.0f ? x : 127.0f;
    x = x > -128.0f ? x : -128.0f;
    return (int8_t)round_to_even(x);
}

/* NaN is 0, as in MXNet. */
static inline uint8_t to_uint8(float x) {
    x = x > 0.0f ? x : 0.0f;
    x = x < 255.0f ? x : 255.0f;
    return (uint8_t)round_to_even(x);
}

/* Truncate and saturate; NaN is INT32_MAX. */
static inline int32_t truncate_to_int32(float x) {
    if (!(x < 2147483648.0f)) return INT32_MAX;
    return x > -2147483648.0f ? (int32_t)x : INT32_MIN;
}

/* To nearest, ties to even, then saturated. */
static inline int32_t to_int32(float x) { return truncate_to_int32(rintf(x)); }

#endif
