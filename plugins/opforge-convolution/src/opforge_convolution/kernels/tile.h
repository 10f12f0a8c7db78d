/* The innermost product: some rows of packed weights times a panel, with accumulators in registers. */
#ifndef OPFORGE_CONVOLUTION_TILE_H
#define OPFORGE_CONVOLUTION_TILE_H

#include "sizes.h"
#include "vec.h"

enum { PANEL = 2 * LANES, TILE_ROWS = OF_TILE_ROWS(2) }; /* columns of a panel; most rows of a tile */

/* Accumulate `n` columns into the sums of some rows; elements of a column are `step` apart in the panel. Return
 * the address after the weights that were read. */
OF_INLINE const float* tile_add(const int rows, int64_t n, const float* weights, const float* panel, int64_t step,
                                vec* sums) {
    V(add_products)(rows, 2, n, weights, 1, rows, panel, step, LANES, sums);
    return weights + n * rows;
}

OF_INLINE void tile_load(const int rows, const float* out, int64_t out_row, const float* bias, int add,
                         vec* sums) {
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) {
        const float* row = out + r * out_row;
        vec start = V(splat)(bias != NULL ? bias[r] : 0);
        sums[2 * r] = add ? V(load)(row) : start;
        sums[2 * r + 1] = add ? V(load)(row + LANES) : start;
    }
}

OF_INLINE void tile_store(const int rows, const vec* sums, float* out, int64_t out_row) {
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) {
        V(store)(out + r * out_row, sums[2 * r]);
        V(store)(out + r * out_row + LANES, sums[2 * r + 1]);
    }
}

/* out[r][0..PANEL) = or += sum over k < depth of weights[k][r] * panel[k]; without `add`, the sums start from the
 * bias of each row, or 0. */
OF_INLINE void tile(const int rows, int64_t depth, const float* weights, const float* panel, float* out,
                    int64_t out_row, const float* bias, int add) {
    vec sums[OF_TILE_SUMS];
    tile_load(rows, out, out_row, bias, add, sums);
    tile_add(rows, depth, weights, panel, PANEL, sums);
    tile_store(rows, sums, out, out_row);
}

#define TILE(rows)                                                                                             \
    OF_NOINLINE void tile_##rows(int64_t depth, const float* weights, const float* panel, float* out,          \
                                 int64_t out_row, const float* bias, int add) {                                \
        tile(rows, depth, weights, panel, out, out_row, bias, add);                                            \
    }
OF_EACH_TILE(TILE)
#undef TILE

static inline void run_tile(int64_t rows, int64_t depth, const float* weights, const float* panel, float* out,
                            int64_t out_row, const float* bias, int add) {
#define TILE(rows) case rows: tile_##rows(depth, weights, panel, out, out_row, bias, add); break;
    switch (rows) { OF_EACH_TILE(TILE) }
#undef TILE
}

/* The division of rows into tiles. */
OF_INLINE int64_t tile_count(int64_t rows) { return of_tile_count(rows, 2); }

OF_INLINE int64_t tile_begin(int64_t rows, int64_t tile) { return of_tile_begin(rows, tile_count(rows), tile); }

#endif
