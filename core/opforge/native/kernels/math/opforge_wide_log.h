/* Powers of 2 and logarithms of float32, computed in float64 (opforge_wide.h).
 *
 * The polynomials are least-squares fits, weighted to minimize the largest relative error, which is below
 * 1e-10. */
#ifndef OPFORGE_WIDE_LOG_H
#define OPFORGE_WIDE_LOG_H

#include "opforge_wide.h"

/* 2^x = 2^n * 2^r with |r| <= 1/2. inf for x >= 1024; for x < -1022 a number that rounds to 0 in float32. */
static inline double of_exp2_wide(double x) {
    double raised = x < -1022.0 ? -1022.0 : x, clamped = raised > 1024.0 ? 1024.0 : raised;
    double shifted = clamped + (0x1.8p52 + 1023), r = clamped - (shifted - (0x1.8p52 + 1023));
    double p = 1.519613412800832e-05;
    p = OF_FMA(p, r, 0.00015466781535819816);
    p = OF_FMA(p, r, 0.0013333935356409342);
    p = OF_FMA(p, r, 0.009618038059585983);
    p = OF_FMA(p, r, 0.05550410365391459);
    p = OF_FMA(p, r, 0.24022651067003373);
    p = OF_FMA(p, r, 0.6931471807047633);
    return OF_FMA(p, r, 1.0) * of_from_bits_f64(of_bits_f64(shifted) << 52);
}

/* log2(x) for x > 0: n + s * P(s^2) for x = 2^n * (1 + s) / (1 - s). Subnormals of float32 are normal numbers
 * in float64; inf and NaN are returned unchanged. */
static inline double of_log2_of_positive(double x) {
    uint64_t bits = of_bits_f64(x) - 0x3fe6a09e667f3bcdu;
    double n = of_from_bits_f64(((bits + (1023ull << 52)) >> 52) | 0x4330000000000000u) - (0x1p52 + 1023);
    double m = of_from_bits_f64((bits & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu);
    double s = (m - 1) / (m + 1), q = s * s, p = 0.3407302739595877;
    p = OF_FMA(p, q, 0.4116727092447919);
    p = OF_FMA(p, q, 0.5770835851417189);
    p = OF_FMA(p, q, 0.9617966733407841);
    p = OF_FMA(p, q, 2.8853900817900873);
    double y = OF_FMA(s, p, n);
    return x <= OF_FLOAT_MAX ? y : x;
}

static inline double of_log2_wide(double x) {
    double y = of_log2_of_positive(x);
    y = x == 0 ? -INFINITY : y;
    return x < 0 ? NAN : y;
}

static inline double of_log10_wide(double x) { return OF_LN2 / OF_LN10 * of_log2_wide(x); }

OF_WIDE1(log2, log2(x))
OF_WIDE1(log10, log10(x))

#endif
