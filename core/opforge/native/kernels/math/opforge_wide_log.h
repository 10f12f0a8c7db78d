/* Powers of 2 and logarithms of float32, in lanes of float64 (opforge_wide.h).
 *
 * The polynomials are least-squares fits with the weights moved towards the largest relative error,
 * which is below 1e-10. */
#ifndef OPFORGE_WIDE_LOG_H
#define OPFORGE_WIDE_LOG_H

#include "opforge_wide.h"

/* 2^x = 2^n * 2^r, |r| <= 1/2; from 2^1024 on it is inf, and below 2^-1022 what float32 takes for 0. */
static inline double of_exp2_wide(double x) {
    double low = x < -1022.0 ? -1022.0 : x, held = low > 1024.0 ? 1024.0 : low;
    double shifted = held + (0x1.8p52 + 1023), r = held - (shifted - (0x1.8p52 + 1023));
    double p = 1.519613412800832e-05;
    p = OF_FMA(p, r, 0.00015466781535819816);
    p = OF_FMA(p, r, 0.0013333935356409342);
    p = OF_FMA(p, r, 0.009618038059585983);
    p = OF_FMA(p, r, 0.05550410365391459);
    p = OF_FMA(p, r, 0.24022651067003373);
    p = OF_FMA(p, r, 0.6931471807047633);
    return OF_FMA(p, r, 1.0) * of_double_of(of_double_bits(shifted) << 52);
}

/* log2(x) of x > 0: that of x = 2^n * (1 + s) / (1 - s) is n + s * P(s^2). float32's subnormals are
 * normal numbers here, and its nan and infinities their own logarithms. */
static inline double of_log2_of_positive(double x) {
    uint64_t bits = of_double_bits(x) - 0x3fe6a09e667f3bcdu;
    double n = of_double_of(((bits + (1023ull << 52)) >> 52) | 0x4330000000000000u) - (0x1p52 + 1023);
    double m = of_double_of((bits & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu);
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
