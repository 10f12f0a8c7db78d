/* Elementary functions of the elementwise kernels, one for each name and compute type. */
#ifndef OPFORGE_MATH_H
#define OPFORGE_MATH_H

#include "opforge_arc.h"
#include "opforge_gammaln.h"
#include "opforge_hyperbolic.h"
#include "opforge_integer.h"
#include "opforge_power.h"
#include "opforge_remainder.h"
#include "opforge_root.h"
#include "opforge_trigonometry.h"

#define OF_SQRT_PI 1.77245385090551602730

/* The float functions are defined in opforge_vector.h and opforge_vector_f64.h. Powers, roots, remainders,
 * trigonometric and hyperbolic functions have separate headers. */
OF_INT_VIA_F64(log) OF_INT_VIA_F64(sigmoid) OF_INT_VIA_F64(tanh)
OF_INT_VIA_F64(softrelu) OF_INT_VIA_F64(log1p)
static inline double of_erf_f64(double x) { return erf(x); }
OF_INT_VIA_F64(erf)

/* Winitzki's closed form has an error of at most 1e-2; three Halley steps reach the precision of float64. In the
 * tail, the steps use erfc, because 1 - |x| is exact there and erf would cancel. */
static inline double of_erfinv_f64(double x) {
    double u = fabs(x), tail = 1 - u;
    if (!(u < 1)) return u == 1 ? copysign(INFINITY, x) : NAN;
    double l = log(tail * (1 + u)), h = 2 / (OF_PI * 0.147) + l / 2;
    double y = sqrt(sqrt(h * h - l / 0.147) - h);
    if (u < 1e-8) return x * (OF_SQRT_PI / 2);
    for (int i = 0; i < 3; i++) {
        double e = u < 0.5 ? erf(y) - u : tail - erfc(y);
        double step = e / (2 / OF_SQRT_PI * exp(-y * y));
        y -= step / (1 + y * step);
    }
    return copysign(y, x);
}
OF_NARROW1(erfinv)

/* Derivative of gammaln, by reflection, recurrence up to 10 and an asymptotic series. inf at the poles, as in MXNet.
 * The distance to the nearest pole is exact; the distance to the next lower pole is not: it is the same for -1e-30
 * and 0. */
static inline double of_digamma_f64(double x) {
    double shift = 0;
    if (x <= 0) {
        double part = x - rint(x);
        if (part == 0 || isinf(x)) return INFINITY;
        shift = -OF_PI / tan(OF_PI * part);
        x = 1 - x;
    }
    for (; x < 10; x += 1) shift -= 1 / x;
    double r = 1 / x, s = r * r;
    double series = s * (1.0 / 12 - s * (1.0 / 120 - s * (1.0 / 252 - s * (1.0 / 240
                    - s * (1.0 / 132 - s * (691.0 / 32760 - s / 12))))));
    return shift + log(x) - r / 2 - series;
}
OF_NARROW1(digamma)

/* Gradients: a is the head gradient, b the saved output or input (see opforge_elementwise_ops.h). */
#define OF_GRAD(name, expr) OF_FLOAT2(name, expr) OF_INT2_VIA_F64(name)
OF_FLOAT2(relu_grad_y, b > 0 ? a : (b != b ? a * b : (T)0)) OF_INT2(relu_grad_y, b > 0 ? a : 0)
OF_FLOAT2(abs_grad_x, b > 0 ? a : (b < 0 ? -a : a * 0)) OF_INT2(abs_grad_x, b > 0 ? a : (b < 0 ? (T)(0 - (U)a) : 0))
OF_GRAD(sigmoid_grad_y, a * (b * (1 - b)))
OF_GRAD(tanh_grad_y, a * ((1 - b) * (1 + b)))
OF_GRAD(softsign_grad_x, a / ((1 + OF_PICK(of_abs, b)(b)) * (1 + OF_PICK(of_abs, b)(b))))
OF_GRAD(square_grad_x, a * (2 * b))
OF_GRAD(sqrt_grad_y, a * ((T)0.5 / b))
OF_GRAD(rsqrt_grad_y, a * ((T)-0.5 * b * b * b))
OF_GRAD(reciprocal_grad_y, -a * (b * b))
OF_GRAD(cbrt_grad_y, a / (3 * b * b))
OF_GRAD(expm1_grad_y, a * (b + 1))
OF_GRAD(log1p_grad_x, a / (1 + b))
OF_GRAD(log2_grad_x, a / (b * (T)OF_LN2))
OF_GRAD(log10_grad_x, a / (b * (T)OF_LN10))
OF_GRAD(tan_grad_y, a * (1 + b * b))
OF_GRAD(arcsin_grad_x, a / OF_PICK(of_sqrt, b)((1 - b) * (1 + b)))
OF_GRAD(arccos_grad_x, -a / OF_PICK(of_sqrt, b)((1 - b) * (1 + b)))
OF_GRAD(arctan_grad_x, a / (1 + b * b))
OF_GRAD(arctanh_grad_x, a / ((1 - b) * (1 + b)))
OF_GRAD(softrelu_grad_y, a * -OF_PICK(of_expm1, b)(-b))
OF_RARE2(erf_grad_x, a * (2 / OF_SQRT_PI * of_exp_f64(-b * b)))
OF_RARE2(erfinv_grad_y, a * (OF_SQRT_PI / 2 * of_exp_f64(b * b)))
OF_RARE2(gammaln_grad_x, a * of_digamma_f64(b))

#endif
