/* Cube roots, their gradients and the hypotenuse. */
#ifndef OPFORGE_ROOT_H
#define OPFORGE_ROOT_H

#include "opforge_wide.h"

/* Dividing the upper word (sign, exponent, leading mantissa bits) by 3 gives the root to 5 bits; each step of
 * Halley's method, t * (t^3 + 2u) / (2t^3 + u), triples the number of correct bits. The method and the constant
 * are those of FreeBSD's s_cbrt.c (W. Kahan, K. C. Ng). */
static inline double of_cbrt_of_positive(double u) {
    double word = of_from_bits_f64(of_bits_f64(u) >> 32 | 0x4330000000000000u) - 0x1p52;
    double t = of_from_bits_f64(of_bits_f64(OF_FMA(word, 1.0 / 3, 0x1p52 + 715094163.0)) << 32);
    for (int i = 0; i < 2; i++) {
        double r = t * t * t;
        t *= (r + u + u) / (r + r + u);
    }
    return t;
}

static inline double of_cbrt_wide(double x) {
    double u = fabs(x), t = of_cbrt_of_positive(u);
    return copysign(u <= OF_FLOAT_MAX ? t : u, x);
}

static inline double of_rcbrt_wide(double x) { return 1 / of_cbrt_wide(x); }

/* d/dx x^(-1/3) = -1/3 * x^(-4/3) */
static inline double of_rcbrt_grad_x_wide(double a, double b) {
    return a * (of_rcbrt_wide(b) / (-3 * b));
}

/* If one side is infinite, so is the hypotenuse, even if the other side is NaN. */
static inline double of_hypot_wide(double a, double b) {
    double y = sqrt(a * a + b * b);
    return (fabs(a) == INFINITY) | (fabs(b) == INFINITY) ? INFINITY : y;
}

OF_WIDE1(cbrt, cbrt(x))
OF_WIDE1(rcbrt, 1 / cbrt(x))
OF_WIDE2(rcbrt_grad_x, a * (1 / cbrt(b) / (-3 * b)))
OF_WIDE2(hypot, hypot(a, b))

#endif
