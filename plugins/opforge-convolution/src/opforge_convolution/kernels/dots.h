/* The innermost product of weight gradients: dot products of rows with rows along vectors of columns, with
 * accumulators in registers. */
#ifndef OPFORGE_CONVOLUTION_DOTS_H
#define OPFORGE_CONVOLUTION_DOTS_H

#include "vec.h"

enum { DOT_COLUMNS = 4, DOT_ROWS = OF_TILE_ROWS(DOT_COLUMNS) };

/* sums[i][j] += a[i] . b[j], for the first rows of a and b, at most `rows` and `columns`, of `vectors` vectors
 * each. Rows of `a` are `a_row` elements apart, and so on. */
OF_NOINLINE void dots(int64_t vectors, const float* a, int64_t a_row, int64_t rows, const float* b, int64_t b_row,
                      int64_t columns, float* sums, int64_t sums_row) {
    const float *left[DOT_ROWS], *right[DOT_COLUMNS];
    vec acc[DOT_ROWS * DOT_COLUMNS] = {{0}};
    /* Missing rows repeat others, and their sums are discarded. */
#pragma GCC unroll 8
    for (int i = 0; i < DOT_ROWS; i++) left[i] = a + (i < rows ? i : 0) * a_row;
#pragma GCC unroll 8
    for (int j = 0; j < DOT_COLUMNS; j++) right[j] = b + (j < columns ? j : 0) * b_row;
    V(add_dots)(DOT_ROWS, DOT_COLUMNS, vectors * LANES, left, right, acc);
#pragma GCC unroll 8
    for (int i = 0; i < DOT_ROWS; i++) {
        float four[DOT_COLUMNS];
        if (i >= rows) return;
        V(sums)(acc + i * DOT_COLUMNS, four);
        for (int j = 0; j < DOT_COLUMNS && j < columns; j++) sums[i * sums_row + j] += four[j];
    }
}

#endif
