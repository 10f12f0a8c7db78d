/* Elementary functions of float32 without branches, which compilers turn into vector code.
 *
 * All arithmetic is float32, eight elements to an AVX register; the results are within 2 ulp, NaN
 * passes, and infinities, zeros and subnormal results come out of the arithmetic itself. The
 * polynomials are weighted least-squares fits with the weights moved towards the largest error. */
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

/* 2^n is applied in two factors of half the exponent, for subnormal results and for overflow.
 * Here and below no two conditions compare the same value: GCC would make branches of them before
 * it looks for vectors, and then find neither min nor max. */
static inline float of_exp_f32(float x) {
    const float magic = 0x1.8p23f + 254;
    float shifted, q = of_exp_split_f32(x > 89.0f ? 89.0f : x, magic, &shifted);
    uint32_t n = of_float_bits(shifted), first = (n << 22) & 0x7f800000u, second = (n << 23) - first;
    float y = (1.0f + q) * of_float_of(first) * of_float_of(second);
    return shifted < magic - 150 ? 0.0f : y;
}

/* exp(x) for -104 <= x <= 0: 2^n comes as 2^(n + 64) * 2^-64, for subnormal results. */
static inline float of_exp_fall_f32(float x) {
    float shifted, q = of_exp_split_f32(x, 0x1.8p23f + 127 + 64, &shifted);
    return (1.0f + q) * of_float_of(of_float_bits(shifted) << 23) * 0x1p-64f;
}

/* exp(-|x|) */
static inline float of_exp_decay_f32(float x) {
    float u = fabsf(x), y = of_exp_fall_f32(-u);
    return u > 104.0f ? 0.0f : y;
}

/* 1 / (1 + e) or e / (1 + e) with e = exp(-|x|): the tail below -88 is a subnormal, not 0. */
static inline float of_sigmoid_f32(float x) {
    float e = of_exp_decay_f32(x);
    return (x < 0 ? e : 1.0f) / (1.0f + e);
}

/* m / (m + 2) with m = exp(2 |x|) - 1, whose relative error is small at 0 too. */
static inline float of_tanh_f32(float x) {
    float shifted, u = fabsf(x);
    float q = of_exp_split_f32(2 * (u > 10.0f ? 10.0f : u), 0x1.8p23f + 127, &shifted);
    float scale = of_float_of(of_float_bits(shifted) << 23), m = OF_FMAF(scale, q, scale - 1.0f);
    return copysignf(m / (m + 2.0f), x);
}

/* exp(x) - 1 = 2 * (2^(n-1) * q + 2^(n-1) - 1/2): n may be 128, and 2^128 is inf. */
static inline float of_expm1_f32(float x) {
    const float magic = 0x1.8p23f + 126;
    float shifted, q = of_exp_split_f32(x > 89.0f ? 89.0f : x, magic, &shifted);
    float scale = of_float_of(of_float_bits(shifted) << 23);
    float y = 2.0f * OF_FMAF(scale, q, scale - 0.5f);
    y = shifted < magic - 30 ? -1.0f : y;
    return fabsf(x) < 0x1p-25f ? x : y;
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

static inline float of_log_f32(float x) {
    float scaled = x < 0x1p-126f ? x * 0x1p25f : x, lift = x < 0x1p-126f ? -25.0f : 0.0f;
    float result = of_log_normal_f32(scaled, lift);
    result = x <= 0x1.fffffep127f ? result : x; /* inf and nan are their own logarithms */
    return x > 0 || x != x ? result : (x < 0 ? NAN : -INFINITY);
}

/* What rounding took from 1 + x comes back as the derivative's share. */
static inline float of_log1p_f32(float x) {
    float sum = 1.0f + x, lost = x - (sum - 1.0f);
    float result = of_log_normal_f32(sum, 0.0f) + lost / sum;
    result = x <= 0x1.fffffep127f ? result : x;
    result = sum > 0 || x != x ? result : (sum < 0 ? NAN : -INFINITY);
    return fabsf(x) < 0x1p-25f ? x : result;
}

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
