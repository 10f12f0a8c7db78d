/* Logarithm of the absolute value of the gamma function.
 *
 * Positive float32: Stirling's formula from 3 on; below, the recurrence leads to t in [1, 2], where the result
 * is (t - 1) (t - 2) P(t - 3/2). The polynomials are least-squares fits as in opforge_wide_log.h. Other arguments
 * are treated as rare (opforge_blocks.h), because only libm is accurate near the roots among them. */
#ifndef OPFORGE_GAMMALN_H
#define OPFORGE_GAMMALN_H

#include "opforge_blocks.h"
#include "opforge_lgamma.h"
#include "opforge_wide_log.h"

/* For 1 <= t <= 2. */
static inline double of_gammaln_middle(double t) {
    double u = t - 1.5, p = -0.0006081036559084652;
    p = OF_FMA(p, u, 0.000959177195112848);
    p = OF_FMA(p, u, -0.001107384928452193);
    p = OF_FMA(p, u, 0.0018487714219448254);
    p = OF_FMA(p, u, -0.003220955624741253);
    p = OF_FMA(p, u, 0.005456375678189438);
    p = OF_FMA(p, u, -0.009424958288474821);
    p = OF_FMA(p, u, 0.016796506296743834);
    p = OF_FMA(p, u, -0.03130850867341137);
    p = OF_FMA(p, u, 0.06291141393377406);
    p = OF_FMA(p, u, -0.1459598957218335);
    p = OF_FMA(p, u, 0.4831289504958992);
    return (t - 1) * (t - 2) * p;
}

/* For x >= 3; `log` is the logarithm of x. */
static inline double of_gammaln_stirling(double x, double log) {
    double r = 1 / x, w = r * r, p = 0.00048423099017638326;
    p = OF_FMA(p, w, -0.000562071674031072);
    p = OF_FMA(p, w, 0.0007921815437048749);
    p = OF_FMA(p, w, -0.0027777503377243375);
    p = OF_FMA(p, w, 0.08333333318810722);
    return OF_FMA(p, r, 0.91893853320467274178) + (x - 0.5) * log - x;
}

static inline double of_gammaln_wide(double x) {
    double t = x < 1 ? x + 1 : x >= 2 ? x - 1 : x;
    double log = OF_LN2 * of_log2_of_positive((x < 1) | (x >= 3) ? x : x >= 2 ? t : 1.0);
    double low = of_gammaln_middle(t) + (x < 1 ? -log : log);
    double y = x < 3 ? low : of_gammaln_stirling(x, log);
    return x <= OF_FLOAT_MAX ? y : x;
}
static inline int of_gammaln_is_rare(float x) { return x <= 0; }
static inline double of_gammaln_f64(double x) { return opforge_lgamma(x); }
OF_BLOCKS1(gammaln)

#endif
