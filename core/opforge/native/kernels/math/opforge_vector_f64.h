/* Branch-free elementary functions of float64, which compilers vectorize.
 *
 * Same formulas as in opforge_vector.h, with longer polynomials; results are within 3 ulp. */
#ifndef OPFORGE_VECTOR_F64_H
#define OPFORGE_VECTOR_F64_H

#include "opforge_vector.h"

/* log(2^lift * x) for a positive normal x = 2^n * (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)):
 * log(1 + f) = f - f^2 / 2 + s * (f^2 / 2 + R(s^2)) with s = f / (2 + f). */
static inline double of_log_normal_f64(double x, double lift) {
    uint64_t bits = of_bits_f64(x) - 0x3fe6a09e667f3bcdu;
    double n = of_from_bits_f64(((bits + (1023ull << 52)) >> 52) | 0x4330000000000000u) - 0x1p52 - 1023;
    double f = of_from_bits_f64((bits & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
    double s = f / (2.0 + f), q = s * s, half_square = 0.5 * f * f, p = 0.1479765924701395997;
    p = OF_FMA(p, q, 0.1531388676758952696);
    p = OF_FMA(p, q, 0.1818357045057781468);
    p = OF_FMA(p, q, 0.2222219846060267492);
    p = OF_FMA(p, q, 0.2857142874343599256);
    p = OF_FMA(p, q, 0.3999999999941015245);
    p = OF_FMA(p, q, 0.666666666666673508);
    n += lift;
    double small = OF_FMA(s, OF_FMA(p, q, half_square), n * 1.90821492927058770002e-10);
    return OF_FMA(n, 6.93147180369123816490e-01, f - (half_square - small));
}

#define OF_REAL double
#define OF_BITS uint64_t
#define OF_NAMED(name) of_##name##_f64
#define OF_FROM_BITS of_from_bits_f64
#define OF_TO_BITS of_bits_f64
#define OF_FUSED OF_FMA
#define OF_ABS fabs
#define OF_FRACTION 52
#define OF_BIAS 1023
#define OF_SMALLEST 0x1p-1022
#define OF_LARGEST 0x1.fffffffffffffp1023
#define OF_EXP_END 710.0
#define OF_EXPM1_END 60
#define OF_DIGITS 54
#include "opforge_vector_forms.h"

/* max(x, 0) + log(1 + e) */
static inline double of_softrelu_f64(double x) {
    double e = of_exp_decay_f64(x), sum = 1.0 + e, lost = e - (sum - 1.0);
    return (x > 0 ? x : 0.0) + (of_log_normal_f64(sum, 0.0) + lost / sum);
}

#endif
