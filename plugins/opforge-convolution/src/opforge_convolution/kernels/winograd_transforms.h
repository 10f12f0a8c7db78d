/* Transforms of F(4, 3): polynomials are multiplied by their values at 0, +-A, +-B and infinity. A = 5/8 and B =
 * 3/2 give smaller rounding errors than 1 and 2, and exact constants. */
#ifndef OPFORGE_CONVOLUTION_WINOGRAD_TRANSFORMS_H
#define OPFORGE_CONVOLUTION_WINOGRAD_TRANSFORMS_H

#include "vec.h"

enum { WINO_IN = 6, WINO_OUT = 4, WINO_TAPS = 3, WINO_POINTS = WINO_IN * WINO_IN };

#define WINO_A 0.625f
#define WINO_B 1.5f
#define WINO_AA (WINO_A * WINO_A)
#define WINO_BB (WINO_B * WINO_B)

/* Transform six elements of the data. */
OF_INLINE void wino_data(const vec x[WINO_IN], vec y[WINO_IN]) {
    vec even_a = x[4] - WINO_BB * x[2], odd_a = WINO_A * (x[3] - WINO_BB * x[1]);
    vec even_b = x[4] - WINO_AA * x[2], odd_b = WINO_B * (x[3] - WINO_AA * x[1]);
    y[0] = WINO_AA * WINO_BB * x[0] - (WINO_AA + WINO_BB) * x[2] + x[4];
    y[1] = even_a + odd_a;
    y[2] = even_a - odd_a;
    y[3] = even_b + odd_b;
    y[4] = even_b - odd_b;
    y[5] = WINO_AA * WINO_BB * x[1] - (WINO_AA + WINO_BB) * x[3] + x[5];
}

/* Transform six products back to four results. */
OF_INLINE void wino_results(const vec x[WINO_IN], vec y[WINO_OUT]) {
    vec sum_a = x[1] + x[2], difference_a = WINO_A * (x[1] - x[2]);
    vec sum_b = x[3] + x[4], difference_b = WINO_B * (x[3] - x[4]);
    y[0] = x[0] + sum_a + sum_b;
    y[1] = difference_a + difference_b;
    y[2] = WINO_AA * sum_a + WINO_BB * sum_b;
    y[3] = WINO_AA * difference_a + WINO_BB * difference_b + x[5];
}

/* Transform the gradients of four results to six products: the transpose of wino_results. */
OF_INLINE void wino_spread(const vec x[WINO_OUT], vec y[WINO_IN]) {
    vec even_a = x[0] + WINO_AA * x[2], odd_a = WINO_A * (x[1] + WINO_AA * x[3]);
    vec even_b = x[0] + WINO_BB * x[2], odd_b = WINO_B * (x[1] + WINO_BB * x[3]);
    y[0] = x[0];
    y[1] = even_a + odd_a;
    y[2] = even_a - odd_a;
    y[3] = even_b + odd_b;
    y[4] = even_b - odd_b;
    y[5] = x[3];
}

/* Transform the columns of an array whose rows are transformed, and store the 36 elements `point` apart. */
OF_INLINE void wino_store_data(vec rows[WINO_IN][WINO_IN], float* to, int64_t point) {
    for (int j = 0; j < WINO_IN; j++) {
        const vec x[WINO_IN] = {rows[0][j], rows[1][j], rows[2][j], rows[3][j], rows[4][j], rows[5][j]};
        vec y[WINO_IN];
        wino_data(x, y);
        for (int i = 0; i < WINO_IN; i++) V(store)(to + (i * WINO_IN + j) * point, y[i]);
    }
}

/* Load 36 products, `point` elements apart, and transform their rows back; */
OF_INLINE void wino_load_products(const float* products, int64_t point, vec rows[WINO_IN][WINO_OUT]) {
    for (int i = 0; i < WINO_IN; i++) {
        vec x[WINO_IN];
        for (int j = 0; j < WINO_IN; j++) x[j] = V(load)(products + (i * WINO_IN + j) * point);
        wino_results(x, rows[i]);
    }
}

/* and then one of their columns. */
OF_INLINE void wino_column(vec rows[WINO_IN][WINO_OUT], int j, vec y[WINO_OUT]) {
    const vec x[WINO_IN] = {rows[0][j], rows[1][j], rows[2][j], rows[3][j], rows[4][j], rows[5][j]};
    wino_results(x, y);
}

/* Coefficients of a tap in the six products. */
#define WINO_OF_0(T) (1 / ((T)WINO_AA * (T)WINO_BB))
#define WINO_OF_A(T) (1 / (2 * (T)WINO_AA * ((T)WINO_AA - (T)WINO_BB)))
#define WINO_OF_B(T) (1 / (2 * (T)WINO_BB * ((T)WINO_BB - (T)WINO_AA)))

/* Transform six sums of products to the gradients of three taps: the transpose of wino_taps. */
OF_INLINE void wino_gather(const vec x[WINO_IN], vec y[WINO_TAPS]) {
    vec sum_a = WINO_OF_A(float) * (x[1] + x[2]), sum_b = WINO_OF_B(float) * (x[3] + x[4]);
    y[0] = WINO_OF_0(float) * x[0] + sum_a + sum_b;
    y[1] = WINO_OF_A(float) * WINO_A * (x[1] - x[2]) + WINO_OF_B(float) * WINO_B * (x[3] - x[4]);
    y[2] = WINO_AA * sum_a + WINO_BB * sum_b + x[5];
}

/* Recover the three taps from their six transformed values: the inverse of wino_taps. */
OF_INLINE void wino_taps_of(const vec y[WINO_IN], vec g[WINO_TAPS]) {
    g[0] = (1 / WINO_OF_0(float)) * y[0];
    g[1] = (1 / (2 * WINO_A * WINO_OF_A(float))) * (y[1] - y[2]);
    g[2] = y[5];
}

enum { WINO_ROWS = 16 }; /* rows of weights transformed together, for all instruction sets */

/* Transform the taps to the six values. */
#define DEFINE_WINO_TAPS(T)                                                                        \
    typedef T wino_rows_##T __attribute__((vector_size(WINO_ROWS * sizeof(T))));                   \
    OF_INLINE void wino_taps_##T(const wino_rows_##T g[WINO_TAPS], wino_rows_##T y[WINO_IN]) {  \
        const T a = WINO_A, b = WINO_B, aa = WINO_AA, bb = WINO_BB;                                \
        wino_rows_##T even_a = WINO_OF_A(T) * (g[0] + aa * g[2]), odd_a = WINO_OF_A(T) * a * g[1]; \
        wino_rows_##T even_b = WINO_OF_B(T) * (g[0] + bb * g[2]), odd_b = WINO_OF_B(T) * b * g[1]; \
        y[0] = WINO_OF_0(T) * g[0];                                                                \
        y[1] = even_a + odd_a;                                                                     \
        y[2] = even_a - odd_a;                                                                     \
        y[3] = even_b + odd_b;                                                                     \
        y[4] = even_b - odd_b;                                                                     \
        y[5] = g[2];                                                                               \
    }
DEFINE_WINO_TAPS(float)
DEFINE_WINO_TAPS(double)
#undef DEFINE_WINO_TAPS

#endif
