/* What the row-wise kernels need below Cython: an exp for softmax. */
#ifndef OPFORGE_ROWMATH_H
#define OPFORGE_ROWMATH_H

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

/* 2^(d * c) for d * c <= 127. Half the work of a full exp, since nothing overflows and what would be
 * subnormal is 0. Adding 1.5 * 2^23 + 127 leaves round(d * c) and the exponent's bias in the low bits, so one
 * shift makes 2^k; the rest, at most 1/2, is exact with FMA. The polynomial is within 9.2e-8 (float64: the
 * Taylor series) and 1 at 0. NaN stays NaN. */
static inline float opforge_exp2_f32(float d, float c) {
    float shifted = OPFORGE_FMA_F32(d, c, 12583039.0f);
    float f = OPFORGE_FMA_F32(d, c, -(shifted - 12583039.0f));
    float p = 1.3264697e-3f, power;
    p = OPFORGE_FMA_F32(p, f, 9.6715341e-3f);
    p = OPFORGE_FMA_F32(p, f, 5.5507340e-2f);
    p = OPFORGE_FMA_F32(p, f, 2.4022242e-1f);
    p = OPFORGE_FMA_F32(p, f, 6.9314698e-1f);
    p = OPFORGE_FMA_F32(p, f, 1.0f);
    uint32_t bits;
    memcpy(&bits, &shifted, 4);
    bits <<= 23;
    memcpy(&power, &bits, 4);
    return shifted < 12582914.0f ? 0.0f : p * power; /* k < -125 */
}

static inline double opforge_exp2_f64(double d, double c) {
    double shifted = OPFORGE_FMA_F64(d, c, 6755399441056767.0);
    double f = OPFORGE_FMA_F64(d, c, -(shifted - 6755399441056767.0));
    double p = 1.3691488853904128e-12, power;
    p = OPFORGE_FMA_F64(p, f, 2.567843599348820e-11);
    p = OPFORGE_FMA_F64(p, f, 4.445538271870811e-10);
    p = OPFORGE_FMA_F64(p, f, 7.054911620801123e-09);
    p = OPFORGE_FMA_F64(p, f, 1.0178086009239699e-07);
    p = OPFORGE_FMA_F64(p, f, 1.3215486790144309e-06);
    p = OPFORGE_FMA_F64(p, f, 1.5252733804059841e-05);
    p = OPFORGE_FMA_F64(p, f, 1.5403530393381608e-04);
    p = OPFORGE_FMA_F64(p, f, 1.3333558146428443e-03);
    p = OPFORGE_FMA_F64(p, f, 9.6181291076284770e-03);
    p = OPFORGE_FMA_F64(p, f, 5.5504108664821580e-02);
    p = OPFORGE_FMA_F64(p, f, 2.4022650695910072e-01);
    p = OPFORGE_FMA_F64(p, f, 6.9314718055994531e-01);
    p = OPFORGE_FMA_F64(p, f, 1.0);
    uint64_t bits;
    memcpy(&bits, &shifted, 8);
    bits <<= 52;
    memcpy(&power, &bits, 8);
    return shifted < 6755399441055746.0 ? 0.0 : p * power; /* k < -1021 */
}

#endif
