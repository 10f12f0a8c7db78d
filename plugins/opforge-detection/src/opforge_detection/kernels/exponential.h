/* exp of float32 for vectors: within two units in the last place where the result is a normal number, 0
 * below. */
#ifndef DETECTION_EXPONENTIAL_H
#define DETECTION_EXPONENTIAL_H

#include <stdint.h>
#include <string.h>

static inline float fast_exp(float x) {
    const float log2e = 1.44269504f, high = 0.693359375f, low = -2.12194440e-4f, rounder = 12582912.0f; /* 1.5 * 2^23 */
    float bounded = x > 88.0f ? 88.0f : x < -87.0f ? -87.0f : x, shifted = bounded * log2e + rounder;
    float whole = shifted - rounder, rest = bounded - whole * high - whole * low;
    float p = 1.9875691e-4f;
    p = p * rest + 1.3981999e-3f;
    p = p * rest + 8.3334519e-3f;
    p = p * rest + 4.1665796e-2f;
    p = p * rest + 1.6666666e-1f;
    p = p * rest + 5.0e-1f;
    p = p * rest * rest + rest + 1.0f;
    int32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (int32_t)((uint32_t)(bits - 0x4B400000 + 127) << 23);
    float power;
    memcpy(&power, &bits, sizeof power);
    float found = p * power;
    return x < -87.0f ? 0.0f : x != x ? x : found;
}

#endif
