/* The innermost product of the gradient to weights: dot products of some rows with some other rows,
 * along vectors of columns, with the sums in registers. */
#ifndef OPFORGE_CONVOLUTION_DOTS_H
#define OPFORGE_CONVOLUTION_DOTS_H

#include "vec.h"

enum { DOT_COLUMNS = 4 };
#if defined(__AVX512F__)
enum { DOT_ROWS = 6 };
#else
enum { DOT_ROWS = 3 };
#endif

/* sums[i][j] += a[i] . b[j], for the first rows a and b of the `rows` and `columns` that there are, of
 * `vectors` vectors each. Rows of `a` are `a_row` elements apart, and so on. */
static void dots(int64_t vectors, const float* a, int64_t a_row, int64_t rows, const float* b, int64_t b_row,
                 int64_t columns, float* sums, int64_t sums_row) {
    const float *left[DOT_ROWS], *right[DOT_COLUMNS];
    vec acc[DOT_ROWS][DOT_COLUMNS] = {{{0}}};
    /* Rows that are not there are others again, and their sums are not kept. */
#pragma GCC unroll 8
    for (int i = 0; i < DOT_ROWS; i++) left[i] = a + (i < rows ? i : 0) * a_row;
#pragma GCC unroll 8
    for (int j = 0; j < DOT_COLUMNS; j++) right[j] = b + (j < columns ? j : 0) * b_row;
    for (int64_t at = 0; at < vectors * LANES; at += LANES) {
        vec other[DOT_COLUMNS];
#pragma GCC unroll 8
        for (int j = 0; j < DOT_COLUMNS; j++) other[j] = vec_load(right[j] + at);
#pragma GCC unroll 8
        for (int i = 0; i < DOT_ROWS; i++) {
            vec one = vec_load(left[i] + at);
#pragma GCC unroll 8
            for (int j = 0; j < DOT_COLUMNS; j++) acc[i][j] += one * other[j];
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < DOT_ROWS; i++) {
        float four[DOT_COLUMNS] = {0};
        if (i >= rows) return;
        vec_add_sums(four, acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
        for (int j = 0; j < DOT_COLUMNS && j < columns; j++) sums[i * sums_row + j] += four[j];
    }
}

#endif
