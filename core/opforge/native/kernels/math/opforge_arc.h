/* Inverse trigonometric functions.
 *
 * float32: the argument is reduced to a range in which a short polynomial suffices, with the identities of the
 * Cephes library (S. L. Moshier, Methods and Programs for Mathematical Functions, 1989). The polynomials are
 * least-squares fits, weighted to minimize the largest error, which is below 1e-10. */
#ifndef OPFORGE_ARC_H
#define OPFORGE_ARC_H

#include "opforge_wide.h"

/* arctan(q) for q = a / b with a, b >= 0: pi / 4 + arctan((q - 1) / (q + 1)) from q = tan(pi / 8) on, and
 * pi / 2 - arctan(1 / q) from q = tan(3 pi / 8) on. */
static inline double of_arctan_quotient(double a, double b) {
    int middle = a > 0.41421356237309503 * b, high = a > 2.414213562373095 * b;
    double numerator = high ? -b : middle ? a - b : a;
    double denominator = high ? a : middle ? a + b : b;
    double base = high ? OF_PI / 2 : middle ? OF_PI / 4 : 0.0;
    double t = numerator / denominator, q = t * t, p = 0.047480594706050955;
    p = OF_FMA(p, q, -0.08478306425164832);
    p = OF_FMA(p, q, 0.11045076530378231);
    p = OF_FMA(p, q, -0.1428204077194555);
    p = OF_FMA(p, q, 0.19999905143883578);
    p = OF_FMA(p, q, -0.33333332514155767);
    return base + OF_FMA(p * q, t, t);
}

static inline double of_arctan_wide(double x) {
    return copysign(of_arctan_quotient(fabs(x), 1.0), x);
}

/* The limits, far outside the range of float32, produce the values that C99 requires for 0 / 0 and inf / inf. */
static inline double of_arctan2_wide(double a, double b) {
    double u = fabs(a), v = fabs(b);
    u = u > 1e300 ? 1e300 : u;
    v = v > 1e300 ? 1e300 : v;
    double y = of_arctan_quotient(u, v < 1e-300 ? 1e-300 : v);
    return copysign(copysign(1.0, b) < 0 ? OF_PI - y : y, a);
}

/* arcsin(w) = w + w * z * P(z) for z = w^2 and w <= 1/2. If |x| is larger (`beyond`), w = sqrt((1 - |x|) / 2),
 * which is the sine of half the remaining angle to pi / 2. */
static inline double of_arcsin_part(double u, int beyond) {
    double z = beyond ? 0.5 - 0.5 * u : u * u, w = beyond ? sqrt(z) : u, p = 0.03469287851545959;
    p = OF_FMA(p, z, 0.007469189358813685);
    p = OF_FMA(p, z, 0.024618347063465593);
    p = OF_FMA(p, z, 0.030110254250599253);
    p = OF_FMA(p, z, 0.04466016352239338);
    p = OF_FMA(p, z, 0.07499948155725361);
    p = OF_FMA(p, z, 0.1666666718984804);
    return OF_FMA(p * z, w, w);
}

static inline double of_arcsin_wide(double x) {
    double u = fabs(x);
    int beyond = u > 0.5;
    double part = of_arcsin_part(u, beyond);
    return copysign(beyond ? OF_PI / 2 - 2 * part : part, x);
}

static inline double of_arccos_wide(double x) {
    double u = fabs(x);
    int beyond = u > 0.5;
    double part = copysign(of_arcsin_part(u, beyond), x), base = x < 0 ? OF_PI : 0.0;
    return beyond ? base + 2 * part : OF_PI / 2 - part;
}

OF_WIDE1(arctan, atan(x))
OF_WIDE2(arctan2, atan2(a, b))
OF_WIDE1(arcsin, asin(x))
OF_WIDE1(arccos, acos(x))

#endif
