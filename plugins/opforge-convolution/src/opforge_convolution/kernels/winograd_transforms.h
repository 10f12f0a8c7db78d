/* The transforms of F(4, 3): polynomials are multiplied by their values at 0, +-A, +-B and infinity.
 * A = 5/8 and B = 3/2 give smaller rounding errors than 1 and 2, and exact constants. */
#ifndef OPFORGE_CONVOLUTION_WINOGRAD_TRANSFORMS_H
#define OPFORGE_CONVOLUTION_WINOGRAD_TRANSFORMS_H

#include "vec.h"

enum { WINO_IN = 6, WINO_OUT = 4, WINO_TAPS = 3, WINO_POINTS = WINO_IN * WINO_IN };

#define WINO_A 0.625f
#define WINO_B 1.5f
#define WINO_AA (WINO_A * WINO_A)
#define WINO_BB (WINO_B * WINO_B)

/* Six elements of the data. */
FORCE_INLINE void wino_data(const vec x[WINO_IN], vec y[WINO_IN]) {
    vec even_a = x[4] - WINO_BB * x[2], odd_a = WINO_A * (x[3] - WINO_BB * x[1]);
    vec even_b = x[4] - WINO_AA * x[2], odd_b = WINO_B * (x[3] - WINO_AA * x[1]);
    y[0] = WINO_AA * WINO_BB * x[0] - (WINO_AA + WINO_BB) * x[2] + x[4];
    y[1] = even_a + odd_a;
    y[2] = even_a - odd_a;
    y[3] = even_b + odd_b;
    y[4] = even_b - odd_b;
    y[5] = WINO_AA * WINO_BB * x[1] - (WINO_AA + WINO_BB) * x[3] + x[5];
}

/* Six products back to four results. */
FORCE_INLINE void wino_results(const vec x[WINO_IN], vec y[WINO_OUT]) {
    vec sum_a = x[1] + x[2], difference_a = WINO_A * (x[1] - x[2]);
    vec sum_b = x[3] + x[4], difference_b = WINO_B * (x[3] - x[4]);
    y[0] = x[0] + sum_a + sum_b;
    y[1] = difference_a + difference_b;
    y[2] = WINO_AA * sum_a + WINO_BB * sum_b;
    y[3] = WINO_AA * difference_a + WINO_BB * difference_b + x[5];
}

/* Four results' gradients to six products: wino_results the other way. */
FORCE_INLINE void wino_spread(const vec x[WINO_OUT], vec y[WINO_IN]) {
    vec even_a = x[0] + WINO_AA * x[2], odd_a = WINO_A * (x[1] + WINO_AA * x[3]);
    vec even_b = x[0] + WINO_BB * x[2], odd_b = WINO_B * (x[1] + WINO_BB * x[3]);
    y[0] = x[0];
    y[1] = even_a + odd_a;
    y[2] = even_a - odd_a;
    y[3] = even_b + odd_b;
    y[4] = even_b - odd_b;
    y[5] = x[3];
}

/* What a tap has in each of the six products. */
#define WINO_OF_0 (1 / (WINO_AA * WINO_BB))
#define WINO_OF_A (1 / (2 * WINO_AA * (WINO_AA - WINO_BB)))
#define WINO_OF_B (1 / (2 * WINO_BB * (WINO_BB - WINO_AA)))

/* Six sums of products to three taps' gradients: wino_taps the other way. */
FORCE_INLINE void wino_gather(const vec x[WINO_IN], vec y[WINO_TAPS]) {
    vec sum_a = WINO_OF_A * (x[1] + x[2]), sum_b = WINO_OF_B * (x[3] + x[4]);
    y[0] = WINO_OF_0 * x[0] + sum_a + sum_b;
    y[1] = WINO_OF_A * WINO_A * (x[1] - x[2]) + WINO_OF_B * WINO_B * (x[3] - x[4]);
    y[2] = WINO_AA * sum_a + WINO_BB * sum_b + x[5];
}

/* The rows of a tile of weights, whatever the instruction set. */
typedef float wino_rows __attribute__((vector_size(64)));

/* The taps' share in each of the six products. */
FORCE_INLINE void wino_taps(const wino_rows g[WINO_TAPS], wino_rows y[WINO_IN]) {
    wino_rows even_a = WINO_OF_A * (g[0] + WINO_AA * g[2]), odd_a = WINO_OF_A * WINO_A * g[1];
    wino_rows even_b = WINO_OF_B * (g[0] + WINO_BB * g[2]), odd_b = WINO_OF_B * WINO_B * g[1];
    y[0] = WINO_OF_0 * g[0];
    y[1] = even_a + odd_a;
    y[2] = even_a - odd_a;
    y[3] = even_b + odd_b;
    y[4] = even_b - odd_b;
    y[5] = g[2];
}

#endif
