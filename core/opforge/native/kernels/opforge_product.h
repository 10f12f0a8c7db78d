/* Matrix products with few rows: out[i, j] = a[i] . b[j] + bias[j] (+ out[i, j]), with dense rows.
 *
 * BLAS packs `b` before it multiplies, which costs as much as the arithmetic of ten rows. Here each row of `b` is
 * read once for all rows of `a`, and nothing is packed. Sums accumulate in the lanes of one vector. */
#ifndef OPFORGE_PRODUCT_H
#define OPFORGE_PRODUCT_H

#include <stddef.h>

#include "opforge/tile.h"

typedef void (*opforge_few_rows_fn)(const float *a, const float *b, const float *bias, float *out,
                                    ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, ptrdiff_t ldc, int add);

enum { OF_FEW_A = 3, OF_FEW_B = 4 }; /* rows of a block: 12 accumulators leave 4 of 16 registers */

/* Multiply `rows` rows of a by `cols` (1 or OF_FEW_B) rows of b; both are constants after inlining. */
OF_INLINE void of_few_block(const float *a, const float *b, const float *bias, float *out, ptrdiff_t k, ptrdiff_t ldc,
                            int add, const int rows, const int cols) {
    of_f32v sums[OF_FEW_A * OF_FEW_B] = {{0}};
    const float *left[OF_FEW_A], *right[OF_FEW_B];
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++) left[i] = a + i * k;
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) right[j] = b + j * k;
    const ptrdiff_t whole = k / OF_LANES_f32v * OF_LANES_f32v;
    of_add_dots_f32v(rows, cols, whole, left, right, sums);
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++) {
        float totals[OF_FEW_B];
        if (cols == OF_FEW_B) of_sums_f32v(sums + i * cols, totals);
        else totals[0] = of_sum_f32v(sums[i]);
        for (ptrdiff_t tail = whole; tail < k; tail++)
            for (int j = 0; j < cols; j++) totals[j] += a[i * k + tail] * b[j * k + tail];
        if (bias != NULL)
            for (int j = 0; j < cols; j++) totals[j] += bias[j];
        if (add)
            for (int j = 0; j < cols; j++) totals[j] += out[i * ldc + j];
        memcpy(out + i * ldc, totals, cols * sizeof(float));
    }
}

OF_INLINE void of_few_columns(const float *a, const float *b, const float *bias, float *out, ptrdiff_t m, ptrdiff_t k,
                              ptrdiff_t ldc, int add, const int cols) {
    ptrdiff_t i = 0;
    for (; i + 3 <= m; i += 3) of_few_block(a + i * k, b, bias, out + i * ldc, k, ldc, add, 3, cols);
    if (m - i == 2) of_few_block(a + i * k, b, bias, out + i * ldc, k, ldc, add, 2, cols);
    if (m - i == 1) of_few_block(a + i * k, b, bias, out + i * ldc, k, ldc, add, 1, cols);
}

static void opforge_few_rows(const float *a, const float *b, const float *bias, float *out,
                             ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, ptrdiff_t ldc, int add) {
    ptrdiff_t j = 0;
    for (; j + OF_FEW_B <= n; j += OF_FEW_B)
        of_few_columns(a, b + j * k, bias == NULL ? NULL : bias + j, out + j, m, k, ldc, add, OF_FEW_B);
    for (; j < n; j++)
        of_few_columns(a, b + j * k, bias == NULL ? NULL : bias + j, out + j, m, k, ldc, add, 1);
}

#endif
