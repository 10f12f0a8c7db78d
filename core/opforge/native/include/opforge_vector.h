/* Elementary functions of float32 without branches, which compilers turn into vector code.
 *
 * All but exp compute in float64 to about 1e-10 and round once, so that subnormals, overflow and the
 * last bit take care of themselves. The polynomials are least-squares fits at Chebyshev nodes. */
#ifndef OPFORGE_VECTOR_H
#define OPFORGE_VECTOR_H

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

static inline double of_from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

static inline uint64_t of_to_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

/* NaN passes: both comparisons are false. */
static inline double of_within(double x, double low, double high) {
    x = x < low ? low : x;
    return x > high ? high : x;
}

/* exp(x) = 2^n * (1 + q); |x| < 700. Adding 1.5 * 2^52 leaves round(x / ln 2) in the low bits. */
static inline double of_exp_split(double x, double *scale) {
    double shifted = x * 1.4426950408889634 + 0x1.8p52;
    double r = x - (shifted - 0x1.8p52) * 0.6931471805599453;
    *scale = of_from_bits((of_to_bits(shifted) + 1023) << 52);
    double p = 0.00019907571421757422;
    p = OF_FMA(p, r, 0.0013941110923756423);
    p = OF_FMA(p, r, 0.008333283534891262);
    p = OF_FMA(p, r, 0.041666352859384755);
    p = OF_FMA(p, r, 0.1666666678632586);
    p = OF_FMA(p, r, 0.5000000047128994);
    p = OF_FMA(p, r, 0.9999999999955077);
    return p * r;
}

static inline double of_exp_wide(double x) {
    double scale, q = of_exp_split(x, &scale);
    return scale + scale * q;
}

/* The one that is worth float32 arithmetic: half the width, within 1 ulp. ln 2 comes in two parts,
 * the first short enough for n * part to be exact; 2^n in two factors, for subnormal results. */
static inline float of_exp_f32(float x) {
    float held = x < -105.0f ? -105.0f : x;
    held = held > 89.0f ? 89.0f : held;
    float shifted = OF_FMAF(held, 1.44269504f, 0x1.8p23f), n = shifted - 0x1.8p23f;
    float r = OF_FMAF(n, -0.693145752f, held);
    r = OF_FMAF(n, -1.42860677e-6f, r);
    float p = 0.00019907571421757422f;
    p = OF_FMAF(p, r, 0.0013941110923756423f);
    p = OF_FMAF(p, r, 0.008333283534891262f);
    p = OF_FMAF(p, r, 0.041666352859384755f);
    p = OF_FMAF(p, r, 0.1666666678632586f);
    p = OF_FMAF(p, r, 0.5000000047128994f);
    p = OF_FMAF(p * r, r, r) + 1.0f;
    int32_t whole, half;
    memcpy(&whole, &shifted, 4);
    whole -= 0x4b400000;
    half = whole >> 1;
    uint32_t first_bits = (uint32_t)(half + 127) << 23;
    uint32_t second_bits = (uint32_t)(whole - half + 127) << 23;
    float first, second;
    memcpy(&first, &first_bits, 4);
    memcpy(&second, &second_bits, 4);
    return p * first * second;
}

/* 1 / (1 + exp(-x)): the tail below -88 is a subnormal, not 0. */
static inline float of_sigmoid_f32(float x) {
    return (float)(1 / (1 + of_exp_wide(-of_within(x, -110, 40))));
}

/* m / (m + 2) with m = exp(2 |x|) - 1, whose relative error is small at 0 too. */
static inline float of_tanh_f32(float x) {
    double scale, magnitude = x < 0 ? -(double)x : (double)x;
    double q = of_exp_split(2 * (magnitude > 10 ? 10 : magnitude), &scale);
    double m = scale * q + (scale - 1);
    return __builtin_copysignf((float)(m / (m + 2)), x);
}

/* x = 2^e * m with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh((m - 1) / (m + 1)). Subnormal
 * float32 are normal float64. */
static inline float of_log_f32(float x) {
    uint64_t bits = of_to_bits(x) - 0x3fe6a09e667f3bcdu;
    double e = of_from_bits(((bits + (1023ull << 52)) >> 52) | 0x4330000000000000u) - 0x1p52 - 1023;
    double m = of_from_bits((bits & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu);
    double s = (m - 1) / (m + 1), q = s * s;
    double p = 0.11810185333750783;
    p = OF_FMA(p, q, 0.1426741877217218);
    p = OF_FMA(p, q, 0.20000194090850568);
    p = OF_FMA(p, q, 0.3333333261464977);
    p = OF_FMA(p, q, 1.0000000000042522);
    float result = (float)(e * 0.6931471805599453 + 2 * s * p);
    result = x > 0 ? result : (x == 0 ? -__builtin_inff() : __builtin_nanf(""));
    return x - x == 0 || x < 0 ? result : x; /* inf and nan are their own logarithms */
}

/* max(x, 0) + log(1 + e) with e = exp(-|x|); log(1 + e) = 2 atanh(e / (2 + e)). */
static inline float of_softrelu_f32(float x) {
    double wide = x, magnitude = wide < 0 ? -wide : wide;
    double e = of_exp_wide(magnitude > 110 ? -110 : -magnitude);
    double s = e / (2 + e), q = s * s;
    double p = 0.1093752152958053;
    p = OF_FMA(p, q, 0.08558861102234644);
    p = OF_FMA(p, q, 0.11152863799423225);
    p = OF_FMA(p, q, 0.14284055646279478);
    p = OF_FMA(p, q, 0.2000003115746553);
    p = OF_FMA(p, q, 0.33333333114729174);
    p = OF_FMA(p, q, 1.0000000000024973);
    return (float)((wide < 0 ? 0 : wide) + 2 * s * p);
}

/* |x| < 1: x P(x^2); beyond: 1 - exp(Q(|x|)), which is 1 in float32 from 4 on. */
static inline float of_erf_f32(float x) {
    double wide = x, u = wide < 0 ? -wide : wide, q = wide * wide;
    double p = -9.673591484724523e-06;
    p = OF_FMA(p, q, 0.00011268254122949196);
    p = OF_FMA(p, q, -0.0008484396581411082);
    p = OF_FMA(p, q, 0.005221053414632068);
    p = OF_FMA(p, q, -0.026865438311273887);
    p = OF_FMA(p, q, 0.11283782622076402);
    p = OF_FMA(p, q, -0.3761263847599254);
    p = OF_FMA(p, q, 1.1283791670623613);
    double v = u > 4 ? 4 : u, t = 7.342138505794027e-07;
    t = OF_FMA(t, v, -1.1635089976638132e-05);
    t = OF_FMA(t, v, 5.854854119318832e-05);
    t = OF_FMA(t, v, 0.00012524336074911212);
    t = OF_FMA(t, v, -0.0034203188779976337);
    t = OF_FMA(t, v, 0.02393699535747779);
    t = OF_FMA(t, v, -0.10707159006306684);
    t = OF_FMA(t, v, -0.634119936596027);
    t = OF_FMA(t, v, -1.129234090659586);
    t = OF_FMA(t, v, 0.00013053991252842678);
    double tail = 1 - of_exp_wide(t);
    return __builtin_copysignf((float)(u < 1 ? u * p : tail), x);
}

#endif
