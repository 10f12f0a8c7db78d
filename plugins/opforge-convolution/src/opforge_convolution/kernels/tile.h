/* The innermost product: some rows of packed weights times a panel, with the sums in registers. */
#ifndef OPFORGE_CONVOLUTION_TILE_H
#define OPFORGE_CONVOLUTION_TILE_H

#include "sizes.h"
#include "vec.h"

enum { PANEL = 2 * LANES }; /* columns of a panel */

/* out[r][0..PANEL) = or += sum over k < depth of weights[k][r] * panel[k]; without `add` the sums begin
 * with the bias of each row, or with 0. */
typedef void (*tile_function)(int64_t depth, const float* weights, const float* panel, float* out,
                              int64_t out_row, const float* bias, int add);

/* Add `n` columns to the sums of some rows; a column's elements of the panel are `step` behind the last one's. The
 * weights behind these are returned. */
FORCE_INLINE const float* tile_add(const int rows, int64_t n, const float* weights, const float* panel, int64_t step,
                                   vec sums[TILE_ROWS][2]) {
    for (int64_t k = 0; k < n; k++, weights += rows, panel += step) {
        vec left = vec_load(panel), right = vec_load(panel + LANES);
#pragma GCC unroll 16
        for (int r = 0; r < rows; r++) {
            vec weight = vec_of(weights[r]);
            sums[r][0] += weight * left;
            sums[r][1] += weight * right;
        }
    }
    return weights;
}

FORCE_INLINE void tile_load(const int rows, const float* out, int64_t out_row, const float* bias, int add,
                            vec sums[TILE_ROWS][2]) {
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) {
        const float* row = out + r * out_row;
        vec start = vec_of(bias != NULL ? bias[r] : 0);
        sums[r][0] = add ? vec_load(row) : start;
        sums[r][1] = add ? vec_load(row + LANES) : start;
    }
}

FORCE_INLINE void tile_store(const int rows, vec sums[TILE_ROWS][2], float* out, int64_t out_row) {
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) {
        vec_store(out + r * out_row, sums[r][0]);
        vec_store(out + r * out_row + LANES, sums[r][1]);
    }
}

FORCE_INLINE void tile(const int rows, int64_t depth, const float* weights, const float* panel, float* out,
                       int64_t out_row, const float* bias, int add) {
    vec sums[TILE_ROWS][2];
    tile_load(rows, out, out_row, bias, add, sums);
    tile_add(rows, depth, weights, panel, PANEL, sums);
    tile_store(rows, sums, out, out_row);
}

#define TILE(rows)                                                                                     \
    static void tile_##rows(int64_t depth, const float* weights, const float* panel, float* out,       \
                            int64_t out_row, const float* bias, int add) {                             \
        tile(rows, depth, weights, panel, out, out_row, bias, add);                                    \
    }

/* For each number of rows that a tile may have. */
#if defined(__AVX512F__)
#define EACH_TILE(M) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14)
#else
#define EACH_TILE(M) M(1) M(2) M(3) M(4) M(5) M(6)
#endif

EACH_TILE(TILE)
#undef TILE

/* By the number of rows. */
#define TILE(rows) tile_##rows,
static const tile_function tiles[TILE_ROWS + 1] = {NULL, EACH_TILE(TILE)};
#undef TILE

/* Rows are shared out evenly over as few tiles as can be: tile t has those from tile_begin(t). */
FORCE_INLINE int64_t tile_count(int64_t rows) { return ceil_div(rows, TILE_ROWS); }

FORCE_INLINE int64_t tile_begin(int64_t rows, int64_t tile) { return rows * tile / tile_count(rows); }

#endif
