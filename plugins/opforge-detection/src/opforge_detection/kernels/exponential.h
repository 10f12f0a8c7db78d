/* exp of float32 for vectors: within a unit in the last place from e^-86.9 on, 0 below. */
#ifndef DETECTION_EXPONENTIAL_H
#define DETECTION_EXPONENTIAL_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float fast_exp(float x) {
    const float least = -86.9f, most = 88.72283f; /* above, no float holds the result */
    const float log2e = 1.44269504f, high = 0.693359375f, low = -2.12194440e-4f; /* high + low: log 2 */
    const float rounder = 12582912.0f; /* 1.5 * 2^23: what is added to it loses its fraction */
    float bounded = x > most ? most : x < least ? least : x, shifted = bounded * log2e + rounder;
    float whole = shifted - rounder, rest = bounded - whole * high - whole * low;
    float p = 1.9875691e-4f;
    p = p * rest + 1.3981999e-3f;
    p = p * rest + 8.3334519e-3f;
    p = p * rest + 4.1665796e-2f;
    p = p * rest + 1.6666666e-1f;
    p = p * rest + 5.0e-1f;
    p = p * rest * rest + rest + 1.0f;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits - 0x4B400000 + 126) << 23; /* half of the power of 2, which may be too large itself */
    float half;
    memcpy(&half, &bits, sizeof half);
    float found = p * half * 2;
    return x > most ? INFINITY : x < least ? 0 : x != x ? x : found;
}

#endif
