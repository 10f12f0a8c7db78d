/* Conversions between element types, and the table that each instruction set fills.
 *
 * float16 and bfloat16 are stored in uint16_t. Floats are converted to integers as in opforge_truncate.h, to one-byte integers
 * via int32; integers wrap. Any value except 0 is true. */
#ifndef OPFORGE_CONVERT_H
#define OPFORGE_CONVERT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

#include "opforge/brain.h"

typedef void (*opforge_cast_fn)(const void *x, void *y, ptrdiff_t n);

typedef struct {
    opforge_cast_fn cast[9][9]; /* [from][to], indexed by the codes of base/dtypes.py */
} opforge_convert_table;

/* Branch-free: the multiplication by 2^112 adjusts the exponent and normalizes subnormals. */
static inline float of_half_to_float(uint16_t half) {
    uint32_t magnitude = (uint32_t)(half & 0x7fff) << 13, sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t special = magnitude >= 0x0f800000u ? 0x7f800000u : 0; /* inf and NaN */
    float scaled;
    memcpy(&scaled, &magnitude, 4);
    scaled *= 0x1p112f;
    uint32_t bits;
    memcpy(&bits, &scaled, 4);
    bits |= special | sign;
    memcpy(&scaled, &bits, 4);
    return scaled;
}

/* Round to nearest, ties to even. Adding a power of two makes the hardware round at the last bit of the half, also
 * for subnormal halves. */
static inline uint16_t of_float_to_half(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    uint32_t sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7fffffff;
    uint32_t exponent = magnitude & 0x7f800000u;
    uint32_t clamped = exponent < 0x38800000u ? 0x38800000u : exponent; /* 2^-14: smallest normal */
    uint32_t base_bits = clamped + (13u << 23);
    float base, value, rounded;
    memcpy(&base, &base_bits, 4);
    memcpy(&value, &magnitude, 4);
    rounded = (value + base) - base;
    uint32_t rounded_bits;
    float shrunk = rounded * 0x1p-112f; /* exact: a half has at most 11 bits */
    memcpy(&rounded_bits, &shrunk, 4);
    uint32_t half = rounded_bits >> 13;
    half = magnitude >= 0x477ff000u ? 0x7c00 : half; /* inf from 65520 on */
    half = magnitude > 0x7f800000u ? 0x7e00 : half;
    return (uint16_t)(sign | half);
}

/* Round to odd, so that a second rounding knows about the bits that this one dropped. */
static inline float of_round_to_odd(double x) {
    float near = (float)x;
    double back = (double)near;
    uint32_t bits;
    memcpy(&bits, &near, 4);
    uint32_t over = (back < 0 ? -back : back) > (x < 0 ? -x : x);
    uint32_t inexact = back != x && x == x && (bits & 0x7f800000u) != 0x7f800000u;
    bits = inexact ? ((bits - over) | 1u) : bits;
    memcpy(&near, &bits, 4);
    return near;
}

static inline void of_halves_to_floats(const uint16_t *x, float *y, ptrdiff_t n) {
    ptrdiff_t i = 0;
#ifdef __F16C__
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(y + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(x + i))));
#endif
    for (; i < n; i++) y[i] = of_half_to_float(x[i]);
}

static inline void of_floats_to_halves(const float *x, uint16_t *y, ptrdiff_t n) {
    ptrdiff_t i = 0;
#ifdef __F16C__
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(y + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
#endif
    for (; i < n; i++) y[i] = of_float_to_half(x[i]);
}

#endif
