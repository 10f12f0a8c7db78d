/* Elementary functions of float32 without branches, which compilers turn into vector code.
 *
 * All arithmetic is float32, eight elements to an AVX register; the results are within 2 ulp, NaN
 * passes, and infinities, zeros and subnormal results come out of the arithmetic itself. The
 * polynomials are weighted least-squares fits with the weights moved towards the largest error.
 * What has one form in both types is in opforge_vector_forms.h; here are the polynomials. */
#ifndef OPFORGE_VECTOR_H
#define OPFORGE_VECTOR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* -std=c11 keeps GCC from fusing on its own. */
#ifdef __FMA__
#define OF_FMA(a, b, c) __builtin_fma(a, b, c)
#define OF_FMAF(a, b, c) __builtin_fmaf(a, b, c)
#else
#define OF_FMA(a, b, c) ((a) * (b) + (c))
#define OF_FMAF(a, b, c) ((a) * (b) + (c))
#endif

static inline float of_float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

static inline uint32_t of_float_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

/* exp(x) = 2^n * (1 + q), q returned. `magic` is 1.5 * 2^23 and what is to be added to n = round(x / ln 2),
 * which `shifted` then has in its low bits; ln 2 comes in two parts, the first short enough for
 * n * part to be exact. */
static inline float of_exp_split_f32(float x, float magic, float *shifted) {
    *shifted = OF_FMAF(x, 1.44269504f, magic);
    float n = *shifted - magic;
    float r = OF_FMAF(n, -0.693145752f, x);
    r = OF_FMAF(n, -1.42860677e-6f, r);
    float p = 0.001381452202790507773f;
    p = OF_FMAF(p, r, 0.008368721627321488958f);
    p = OF_FMAF(p, r, 0.04166838956871467183f);
    p = OF_FMAF(p, r, 0.1666652057963904017f);
    p = OF_FMAF(p, r, 0.4999999344089246388f);
    return OF_FMAF(p * r, r, r);
}

/* log(2^lift * x) of a positive normal x = 2^n * (1 + f), 1 + f in [sqrt(1/2), sqrt(2)). */
static inline float of_log_normal_f32(float x, float lift) {
    uint32_t bits = of_float_bits(x) - 0x3f3504f3u;
    float n = (float)((int32_t)bits >> 23) + lift;
    float f = of_float_of((bits & 0x007fffffu) + 0x3f3504f3u) - 1.0f, square = f * f;
    float p = -0.0763281787699228136f;
    p = OF_FMAF(p, f, 0.1276087786356913603f);
    p = OF_FMAF(p, f, -0.1316049151250228365f);
    p = OF_FMAF(p, f, 0.1420187566252754975f);
    p = OF_FMAF(p, f, -0.1662333708197923853f);
    p = OF_FMAF(p, f, 0.2000122128215513699f);
    p = OF_FMAF(p, f, -0.2500082152734699041f);
    p = OF_FMAF(p, f, 0.3333333176310502358f);
    float small = OF_FMAF(p * f, square, n * -2.12194440e-4f);
    small = OF_FMAF(-0.5f, square, small);
    return OF_FMAF(n, 0.693359375f, small + f);
}

#define OF_REAL float
#define OF_BITS uint32_t
#define OF_NAMED(name) of_##name##_f32
#define OF_FROM_BITS of_float_of
#define OF_TO_BITS of_float_bits
#define OF_FUSED OF_FMAF
#define OF_ABS fabsf
#define OF_SIGNED copysignf
#define OF_FRACTION 23
#define OF_BIAS 127
#define OF_LEAST 0x1p-126f
#define OF_MOST 0x1.fffffep127f
#define OF_EXP_END 89.0f
#define OF_DECAY_END 104.0f
#define OF_ZERO_EXPONENT 150
#define OF_TANH_END 10.0f
#define OF_EXPM1_END 30
#define OF_DIGITS 25
#include "opforge_vector_forms.h"

/* max(x, 0) + log(1 + e) with e = exp(-|x|). */
static inline float of_softrelu_f32(float x) {
    float e = of_exp_decay_f32(x), p = -0.00331573774599207846f;
    p = OF_FMAF(p, e, 0.02019226150477309541f);
    p = OF_FMAF(p, e, -0.05764131389915447339f);
    p = OF_FMAF(p, e, 0.1067821602372212842f);
    p = OF_FMAF(p, e, -0.1535401928419637138f);
    p = OF_FMAF(p, e, 0.1969492597834650856f);
    p = OF_FMAF(p, e, -0.2495849626064689779f);
    p = OF_FMAF(p, e, 0.3333050273969349925f);
    p = OF_FMAF(p, e, -0.4999993248007290436f);
    float log1p = OF_FMAF(p * e, e, e);
    return (x > 0 ? x : 0.0f) + log1p;
}

/* |x| < 1: x + x P(x^2); beyond: 1 - exp(Q(|x|)), which is 1 in float32 from 4 on. */
static inline float of_erf_f32(float x) {
    float u = fabsf(x), q = x * x, p = 7.853774802832152925e-05f;
    p = OF_FMAF(p, q, -0.0008010167418895979377f);
    p = OF_FMAF(p, q, 0.005188324703668755725f);
    p = OF_FMAF(p, q, -0.02685381036650725543f);
    p = OF_FMAF(p, q, 0.1128358511114202732f);
    p = OF_FMAF(p, q, -0.3761262582093660455f);
    p = OF_FMAF(p, q, 0.128379165726234882f);
    float v = u > 4.0f ? 4.0f : u, t = 0.0001863842183808259016f;
    t = OF_FMAF(t, v, -0.002947684547354081967f);
    t = OF_FMAF(t, v, 0.02183808794986639427f);
    t = OF_FMAF(t, v, -0.1031066622854977393f);
    t = OF_FMAF(t, v, -0.6381450734471654378f);
    t = OF_FMAF(t, v, -1.127088978605752403f);
    t = OF_FMAF(t, v, -0.000341589058263165817f);
    float tail = 1.0f - of_exp_fall_f32(t);
    return copysignf(q < 1.0f ? OF_FMAF(u, p, u) : tail, x);
}

#endif
