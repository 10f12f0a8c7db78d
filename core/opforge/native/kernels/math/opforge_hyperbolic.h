/* Hyperbolic functions, their inverses and gradients; float32 by exponentials and logarithms in float64. */
#ifndef OPFORGE_HYPERBOLIC_H
#define OPFORGE_HYPERBOLIC_H

#include "opforge_wide_log.h"

/* |x| < 1: x + x^3 * P(x^2), a least-squares fit as in opforge_wide_log.h; else the difference of exponentials. */
static inline double of_sinh_wide(double x) {
    double u = fabs(x), e = of_exp2_wide(u * (1 / OF_LN2)), q = u * u;
    double p = 2.8169802307653315e-06;
    p = OF_FMA(p, q, 0.0001983615452142515);
    p = OF_FMA(p, q, 0.008333350086463881);
    p = OF_FMA(p, q, 0.1666666649714069);
    double series = OF_FMA(p * q, u, u), difference = 0.5 * e - 0.5 / e;
    return copysign(u < 1 ? series : difference, x);
}

static inline double of_cosh_wide(double x) {
    double e = of_exp2_wide(fabs(x) * (1 / OF_LN2));
    return 0.5 * e + 0.5 / e;
}

/* log(u + sqrt(u^2 + 1)) */
static inline double of_arcsinh_wide(double x) {
    double u = fabs(x), y = of_log1p_f64(u + u * u / (1 + sqrt(u * u + 1)));
    return copysign(u <= OF_FLOAT_MAX ? y : u, x);
}

/* log(x + sqrt(x^2 - 1)) with t = x - 1 */
static inline double of_arccosh_wide(double x) {
    double t = x - 1, y = of_log1p_f64(t + sqrt(t * (t + 2)));
    return x >= 1 ? y : NAN;
}

static inline double of_arctanh_wide(double x) {
    double u = fabs(x);
    return copysign(0.5 * of_log1p_f64(2 * u / (1 - u)), x);
}

OF_WIDE1(sinh, sinh(x))
OF_WIDE1(cosh, cosh(x))
OF_WIDE1(arcsinh, asinh(x))
OF_WIDE1(arccosh, acosh(x))
OF_WIDE1(arctanh, atanh(x))

/* Gradients: a is the head gradient, b the input. */
static inline double of_sinh_grad_x_wide(double a, double b) { return a * of_cosh_wide(b); }
static inline double of_cosh_grad_x_wide(double a, double b) { return a * of_sinh_wide(b); }
OF_WIDE2(sinh_grad_x, a * cosh(b))
OF_WIDE2(cosh_grad_x, a * sinh(b))
OF_RARE2(arcsinh_grad_x, a / sqrt(b * b + 1))
OF_RARE2(arccosh_grad_x, a / sqrt((b - 1) * (b + 1)))

#endif
