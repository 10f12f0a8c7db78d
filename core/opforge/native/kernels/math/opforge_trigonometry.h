/* Sine, cosine, tangent and their gradients.
 *
 * float32: up to OF_LARGE, a multiple of pi is subtracted in two steps, the first with 33 bits of pi, so that
 * the product with the multiple is exact (W. J. Cody and W. Waite, Software Manual for the Elementary
 * Functions, 1980). Larger arguments are rare and use libm (opforge_blocks.h). The polynomials are
 * least-squares fits, weighted to minimize the largest error, which is below 1e-10. */
#ifndef OPFORGE_TRIGONOMETRY_H
#define OPFORGE_TRIGONOMETRY_H

#include "opforge_blocks.h"

#define OF_LARGE 0x1p19f

/* x - n * pi */
static inline double of_subtract_pi(double x, double n) {
    double r = OF_FMA(n, -0x1.921fb544p1, x);
    return OF_FMA(n, -0x1.0b4611a626331p-33, r);
}

/* sin(r + n * pi) for |r| <= pi / 2; the lowest bit of `n` gives the sign. */
static inline double of_sin_reduced(double r, uint64_t n) {
    double q = r * r, p = -2.3888792260793986e-08;
    p = OF_FMA(p, q, 2.7525377935309386e-06);
    p = OF_FMA(p, q, -0.00019840868086647742);
    p = OF_FMA(p, q, 0.008333331107687242);
    p = OF_FMA(p, q, -0.1666666662612865);
    double y = r * OF_FMA(p, q, 1.0);
    return of_from_bits_f64(of_bits_f64(y) ^ (n << 63));
}

static inline double of_sin_wide(double x) {
    double shifted = OF_FMA(x, 1 / OF_PI, 0x1.8p52);
    return of_sin_reduced(of_subtract_pi(x, shifted - 0x1.8p52), of_bits_f64(shifted));
}

/* -sin(r + n * pi) for x = r + (n + 1/2) * pi */
static inline double of_cos_wide(double x) {
    double shifted = OF_FMA(x, 1 / OF_PI, -0.5) + 0x1.8p52;
    return of_sin_reduced(of_subtract_pi(x, shifted - 0x1.8p52 + 0.5), of_bits_f64(shifted) + 1);
}

/* tan(r + n * pi / 2) for |r| <= pi / 4: s / c, or -c / s if n is odd. */
static inline double of_tan_wide(double x) {
    double shifted = OF_FMA(x, 2 / OF_PI, 0x1.8p52), r = of_subtract_pi(x, 0.5 * (shifted - 0x1.8p52));
    double q = r * r, s = 2.7181178663571693e-06, c = -2.7205719645321743e-07;
    s = OF_FMA(s, q, -0.00019839311876606146);
    s = OF_FMA(s, q, 0.00833332930362655);
    s = OF_FMA(s, q, -0.16666666640786604);
    s = r * OF_FMA(s, q, 1.0);
    c = OF_FMA(c, q, 2.479945973498911e-05);
    c = OF_FMA(c, q, -0.001388888349847739);
    c = OF_FMA(c, q, 0.041666666619472645);
    c = OF_FMA(OF_FMA(c, q, -0.5), q, 1.0);
    int odd = (of_bits_f64(shifted) & 1) != 0;
    double numerator = odd ? -c : s, denominator = odd ? s : c;
    return numerator / denominator;
}

static inline int of_sin_is_rare(float x) { return fabsf(x) > OF_LARGE; }
static inline int of_cos_is_rare(float x) { return fabsf(x) > OF_LARGE; }
static inline int of_tan_is_rare(float x) { return fabsf(x) > OF_LARGE; }
static inline double of_sin_f64(double x) { return sin(x); }
static inline double of_cos_f64(double x) { return cos(x); }
static inline double of_tan_f64(double x) { return tan(x); }
OF_BLOCKS1(sin)
OF_BLOCKS1(cos)
OF_BLOCKS1(tan)

/* Gradients: a is the head gradient, b the input. */
static inline int of_sin_grad_x_is_rare(float a, float b) { return (void)a, fabsf(b) > OF_LARGE; }
static inline int of_cos_grad_x_is_rare(float a, float b) { return (void)a, fabsf(b) > OF_LARGE; }
static inline double of_sin_grad_x_wide(double a, double b) { return a * of_cos_wide(b); }
static inline double of_cos_grad_x_wide(double a, double b) { return -a * of_sin_wide(b); }
static inline double of_sin_grad_x_f64(double a, double b) { return a * cos(b); }
static inline double of_cos_grad_x_f64(double a, double b) { return -a * sin(b); }
OF_INT2_VIA_F64(sin_grad_x)
OF_INT2_VIA_F64(cos_grad_x)
OF_BLOCKS2(sin_grad_x)
OF_BLOCKS2(cos_grad_x)

#endif
