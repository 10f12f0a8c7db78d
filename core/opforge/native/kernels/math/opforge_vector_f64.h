/* Elementary functions of float64 without branches, which compilers turn into vector code.
 *
 * The forms are those of opforge_vector.h with longer polynomials; results are within 3 ulp. */
#ifndef OPFORGE_VECTOR_F64_H
#define OPFORGE_VECTOR_F64_H

#include "opforge_vector.h"

static inline double of_double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

static inline uint64_t of_double_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

/* exp(x) = 2^n * (1 + q), q returned; `magic` is 1.5 * 2^52 and what is to be added to n, which `shifted`
 * then has in its low bits. */
static inline double of_exp_split_f64(double x, double magic, double *shifted) {
    *shifted = OF_FMA(x, 1.4426950408889634, magic);
    double n = *shifted - magic;
    double r = OF_FMA(n, -6.93147180369123816490e-01, x);
    r = OF_FMA(n, -1.90821492927058770002e-10, r);
    double p = 2.500028414224014703e-8;
    p = OF_FMA(p, r, 2.763026152262581106e-7);
    p = OF_FMA(p, r, 2.755758574697247149e-6);
    p = OF_FMA(p, r, 0.00002480149305917920698);
    p = OF_FMA(p, r, 0.0001984126950716181669);
    p = OF_FMA(p, r, 0.001388888894367181718);
    p = OF_FMA(p, r, 0.008333333333494272713);
    p = OF_FMA(p, r, 0.04166666666652998445);
    p = OF_FMA(p, r, 0.1666666666666641262);
    p = OF_FMA(p, r, 0.500000000000001065);
    return OF_FMA(p * r, r, r);
}

static inline double of_exp_f64(double x) {
    const double magic = 0x1.8p52 + 2046;
    double shifted, q = of_exp_split_f64(x > 710.0 ? 710.0 : x, magic, &shifted);
    uint64_t n = of_double_bits(shifted), first = (n << 51) & 0x7ff0000000000000u;
    double y = (1.0 + q) * of_double_of(first) * of_double_of((n << 52) - first);
    return shifted < magic - 1075 ? 0.0 : y;
}

/* exp(-|x|) */
static inline double of_exp_decay_f64(double x) {
    double u = fabs(x), shifted, q = of_exp_split_f64(-u, 0x1.8p52 + 1023 + 64, &shifted);
    double y = (1.0 + q) * of_double_of(of_double_bits(shifted) << 52) * 0x1p-64;
    return u > 745.5 ? 0.0 : y;
}

static inline double of_sigmoid_f64(double x) {
    double e = of_exp_decay_f64(x);
    return (x < 0 ? e : 1.0) / (1.0 + e);
}

static inline double of_tanh_f64(double x) {
    double shifted, u = fabs(x);
    double q = of_exp_split_f64(2 * (u > 22.0 ? 22.0 : u), 0x1.8p52 + 1023, &shifted);
    double scale = of_double_of(of_double_bits(shifted) << 52), m = OF_FMA(scale, q, scale - 1.0);
    return copysign(m / (m + 2.0), x);
}

/* exp(x) - 1 = 2 * (2^(n-1) * q + 2^(n-1) - 1/2): n may be 1024, and 2^1024 is inf. */
static inline double of_expm1_f64(double x) {
    const double magic = 0x1.8p52 + 1022;
    double shifted, q = of_exp_split_f64(x > 710.0 ? 710.0 : x, magic, &shifted);
    double scale = of_double_of(of_double_bits(shifted) << 52);
    double y = 2.0 * OF_FMA(scale, q, scale - 0.5);
    y = shifted < magic - 60 ? -1.0 : y;
    return fabs(x) < 0x1p-54 ? x : y;
}

/* log(2^lift * x) of a positive normal x = 2^n * (1 + f), 1 + f in [sqrt(1/2), sqrt(2));
 * log(1 + f) = f - f^2 / 2 + s * (f^2 / 2 + R(s^2)) with s = f / (2 + f). */
static inline double of_log_normal_f64(double x, double lift) {
    uint64_t bits = of_double_bits(x) - 0x3fe6a09e667f3bcdu;
    double n = of_double_of(((bits + (1023ull << 52)) >> 52) | 0x4330000000000000u) - 0x1p52 - 1023;
    double f = of_double_of((bits & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
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

static inline double of_log_f64(double x) {
    double scaled = x < 0x1p-1022 ? x * 0x1p54 : x, lift = x < 0x1p-1022 ? -54.0 : 0.0;
    double result = of_log_normal_f64(scaled, lift);
    result = x <= 0x1.fffffffffffffp1023 ? result : x; /* inf and nan are their own logarithms */
    return x > 0 || x != x ? result : (x < 0 ? NAN : -INFINITY);
}

/* What rounding took from 1 + x comes back as the derivative's share. */
static inline double of_log1p_f64(double x) {
    double sum = 1.0 + x, lost = x - (sum - 1.0);
    double result = of_log_normal_f64(sum, 0.0) + lost / sum;
    result = x <= 0x1.fffffffffffffp1023 ? result : x;
    result = sum > 0 || x != x ? result : (sum < 0 ? NAN : -INFINITY);
    return fabs(x) < 0x1p-54 ? x : result;
}

/* max(x, 0) + log(1 + e) */
static inline double of_softrelu_f64(double x) {
    double e = of_exp_decay_f64(x), sum = 1.0 + e, lost = e - (sum - 1.0);
    return (x > 0 ? x : 0.0) + (of_log_normal_f64(sum, 0.0) + lost / sum);
}

#endif
