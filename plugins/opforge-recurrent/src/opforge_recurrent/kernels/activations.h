/* Sigmoid and tanh: in float32 without branches, which compilers make vector code of, within 4e-7 of the value. */
#ifndef OPFORGE_RNN_ACTIVATIONS_H
#define OPFORGE_RNN_ACTIVATIONS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define FORCE_INLINE static inline __attribute__((always_inline))

/* exp(x) = scale * (1 + q), scale being 2^n, for |x| up to 87. */
FORCE_INLINE float exp_parts(float x, float* scale) {
    const float magic = 0x1.8p23f + 127; /* what is added to it leaves n + 127 in the low bits */
    float shifted = x * 1.44269504f + magic, n = shifted - magic;
    float r = x - n * 0.693145752f - n * 1.42860677e-6f; /* ln 2, the first part short */
    float p = 0.00138145220f;
    p = p * r + 0.00836872163f;
    p = p * r + 0.0416683889f;
    p = p * r + 0.166665206f;
    p = p * r + 0.499999934f;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits <<= 23;
    memcpy(scale, &bits, sizeof bits);
    return p * r * r + r;
}

FORCE_INLINE float sigmoid_f32(float x) {
    float scale, y = x > 87 ? 87 : x;
    y = y < -87 ? -87 : y;
    float q = exp_parts(-y, &scale);
    return 1 / (1 + (scale + scale * q));
}

/* m / (m + 2) with m = exp(2 |x|) - 1, whose relative error is small at 0 too. */
FORCE_INLINE float tanh_f32(float x) {
    float u = fabsf(x), scale, q = exp_parts(2 * (u > 10 ? 10 : u), &scale);
    float m = scale * q + (scale - 1);
    return copysignf(m / (m + 2), x);
}

FORCE_INLINE double sigmoid_f64(double x) { return 1 / (1 + exp(-x)); }

FORCE_INLINE double tanh_f64(double x) { return tanh(x); }

#endif
