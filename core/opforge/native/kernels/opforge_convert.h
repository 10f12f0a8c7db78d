/* Conversions between element types, and the table that each instruction set fills.
 *
 * float16 is kept in uint16_t. Floats go to integers as opforge_truncate.h has it, to those of
 * one byte by way of int32; integers wrap. Anything but 0 is true. */
#ifndef OPFORGE_CONVERT_H
#define OPFORGE_CONVERT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

typedef void (*opforge_cast_fn)(const void *x, void *y, ptrdiff_t n);

typedef struct {
    opforge_cast_fn cast[8][8]; /* [from][to], by the codes of base/dtypes.py */
} opforge_convert_table;

/* Branch-free: the multiplication by 2^112 rebuilds the exponent and normalises subnormals. */
static inline float of_half_to_float(uint16_t half) {
    uint32_t magnitude = (uint32_t)(half & 0x7fff) << 13, sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t special = magnitude >= 0x0f800000u ? 0x7f800000u : 0; /* inf and nan */
    float scaled;
    memcpy(&scaled, &magnitude, 4);
    scaled *= 0x1p112f;
    uint32_t bits;
    memcpy(&bits, &scaled, 4);
    bits |= special | sign;
    memcpy(&scaled, &bits, 4);
    return scaled;
}

/* Rounds to nearest, ties to even. The addition of a power of two makes the hardware round at the
 * last place of the half, subnormal halves included. */
static inline uint16_t of_float_to_half(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    uint32_t sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7fffffff;
    uint32_t exponent = magnitude & 0x7f800000u;
    uint32_t least = exponent < 0x38800000u ? 0x38800000u : exponent; /* 2^-14: smallest normal */
    uint32_t base_bits = least + (13u << 23);
    float base, value, rounded;
    memcpy(&base, &base_bits, 4);
    memcpy(&value, &magnitude, 4);
    rounded = (value + base) - base;
    uint32_t rounded_bits;
    float shrunk = rounded * 0x1p-112f; /* exact: a half has at most 11 bits */
    memcpy(&rounded_bits, &shrunk, 4);
    uint32_t half = rounded_bits >> 13;
    half = magnitude >= 0x477ff000u ? 0x7c00 : half; /* 65520 and more: inf */
    half = magnitude > 0x7f800000u ? 0x7e00 : half;
    return (uint16_t)(sign | half);
}

/* Round to odd on the way to float32, so that the second rounding sees what the first dropped. */
static inline uint16_t of_double_to_half(double x) {
    float near = (float)x;
    double back = (double)near;
    uint32_t bits;
    memcpy(&bits, &near, 4);
    uint32_t over = (back < 0 ? -back : back) > (x < 0 ? -x : x);
    uint32_t inexact = back != x && x == x && (bits & 0x7f800000u) != 0x7f800000u;
    bits = inexact ? ((bits - over) | 1u) : bits;
    memcpy(&near, &bits, 4);
    return of_float_to_half(near);
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
