/* Branch-free exp for the row-wise kernels: vectorises, inf and NaN as libm has them, within 2 ulp. */
#ifndef OPFORGE_ROWMATH_H
#define OPFORGE_ROWMATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ISO C forbids contracting a * b + c, so the fused form is asked for where the hardware has it. */
#ifdef __FMA__
#define OPFORGE_FMA_F32(a, b, c) __builtin_fmaf(a, b, c)
#define OPFORGE_FMA_F64(a, b, c) __builtin_fma(a, b, c)
#else
#define OPFORGE_FMA_F32(a, b, c) ((a) * (b) + (c))
#define OPFORGE_FMA_F64(a, b, c) ((a) * (b) + (c))
#endif

/* e^x = 2^k e^r, |r| <= ln2 / 2. Adding 1.5 * 2^23 leaves round(x / ln2) in the low bits. 2^k is
 * applied in two halves, so that overflow and denormals come out by themselves. */
static inline float opforge_exp_f32(float x) {
    x = x < -110.0f ? -110.0f : x;
    x = x > 90.0f ? 90.0f : x;
    float shifted = OPFORGE_FMA_F32(x, 1.44269504f, 12582912.0f);
    float k = shifted - 12582912.0f;
    float r = OPFORGE_FMA_F32(k, -1.42860677e-6f, OPFORGE_FMA_F32(k, -0.693145752f, x));
    float p = 1.3888889e-3f;
    p = OPFORGE_FMA_F32(p, r, 8.3333333e-3f);
    p = OPFORGE_FMA_F32(p, r, 4.1666667e-2f);
    p = OPFORGE_FMA_F32(p, r, 1.6666667e-1f);
    p = OPFORGE_FMA_F32(p, r, 0.5f);
    p = OPFORGE_FMA_F32(p, r * r, r) + 1.0f;
    /* Unsigned: of a NaN the bits are any. */
    uint32_t bits, half;
    memcpy(&bits, &shifted, 4);
    bits -= 0x4B400000u;
    half = (uint32_t)((int32_t)bits >> 1);
    uint32_t a_bits = (half + 127) << 23, b_bits = (bits - half + 127) << 23;
    float a, b;
    memcpy(&a, &a_bits, 4);
    memcpy(&b, &b_bits, 4);
    return p * a * b;
}

static inline double opforge_exp_f64(double x) {
    x = x < -760.0 ? -760.0 : x;
    x = x > 720.0 ? 720.0 : x;
    double shifted = OPFORGE_FMA_F64(x, 1.4426950408889634, 6755399441055744.0);
    double k = shifted - 6755399441055744.0;
    double r = OPFORGE_FMA_F64(k, -1.90821492927058770002e-10, OPFORGE_FMA_F64(k, -6.93147180369123816490e-01, x));
    double p = 1.0 / 6227020800.0;
    p = OPFORGE_FMA_F64(p, r, 1.0 / 479001600.0);
    p = OPFORGE_FMA_F64(p, r, 1.0 / 39916800.0);
    p = OPFORGE_FMA_F64(p, r, 1.0 / 3628800.0);
    p = OPFORGE_FMA_F64(p, r, 1.0 / 362880.0);
    p = OPFORGE_FMA_F64(p, r, 1.0 / 40320.0);
    p = OPFORGE_FMA_F64(p, r, 1.0 / 5040.0);
    p = OPFORGE_FMA_F64(p, r, 1.0 / 720.0);
    p = OPFORGE_FMA_F64(p, r, 1.0 / 120.0);
    p = OPFORGE_FMA_F64(p, r, 1.0 / 24.0);
    p = OPFORGE_FMA_F64(p, r, 1.0 / 6.0);
    p = OPFORGE_FMA_F64(p, r, 0.5);
    p = OPFORGE_FMA_F64(p, r * r, r) + 1.0;
    uint64_t bits, half;
    memcpy(&bits, &shifted, 8);
    bits -= 0x4338000000000000ULL;
    half = (uint64_t)((int64_t)bits >> 1);
    uint64_t a_bits = (half + 1023) << 52, b_bits = (bits - half + 1023) << 52;
    double a, b;
    memcpy(&a, &a_bits, 8);
    memcpy(&b, &b_bits, 8);
    return p * a * b;
}

#endif
