/* Branch-free elementary functions of float32, which compilers vectorize.
 *
 * All arithmetic is float32, eight elements per AVX register. Results are within 2 ulp; NaN propagates, and
 * infinities, zeros and subnormal results need no special cases. The polynomials are least-squares fits, weighted
 * to minimize the largest error. Code shared with float64 is in opforge_vector_forms.h; this header has the
 * polynomials. */
#ifndef OPFORGE_VECTOR_H
#define OPFORGE_VECTOR_H

#include "opforge/simd.h"

/* log(2^lift * x) for a positive normal x = 2^n * (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)). */
static inline float of_log_normal_f32(float x, float lift) {
    uint32_t bits = of_bits_f32(x) - 0x3f3504f3u;
    float n = (float)((int32_t)bits >> 23) + lift;
    float f = of_from_bits_f32((bits & 0x007fffffu) + 0x3f3504f3u) - 1.0f, square = f * f;
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
#define OF_FROM_BITS of_from_bits_f32
#define OF_TO_BITS of_bits_f32
#define OF_FUSED OF_FMAF
#define OF_ABS fabsf
#define OF_FRACTION 23
#define OF_BIAS 127
#define OF_SMALLEST 0x1p-126f
#define OF_LARGEST 0x1.fffffep127f
#define OF_EXP_END 89.0f
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

/* |x| < 1: x + x P(x^2); else 1 - exp(Q(|x|)), which rounds to 1 in float32 from 4 on. */
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
