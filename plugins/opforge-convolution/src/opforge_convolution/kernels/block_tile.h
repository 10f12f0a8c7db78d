/* The innermost product on blocks: some positions of one row times one or two vectors of filters, with
 * accumulators in registers. Elements of the image are broadcast in place, weights read in order. */
#ifndef OPFORGE_CONVOLUTION_BLOCK_TILE_H
#define OPFORGE_CONVOLUTION_BLOCK_TILE_H

#include "tile.h"
#include "tile_finish.h"

enum { TILE_POSITIONS = TILE_ROWS, LINE = 64 / sizeof(float) /* elements of a cache line */ };

/* The input of a position: `blocks` of `taps_y` rows of `taps_x` runs of `run` adjacent elements. Strides are in
 * elements; `position` is that between positions. `ahead` elements of each row of taps are prefetched for the tile
 * after the current one. */
typedef struct block_view {
    int64_t blocks, taps_y, taps_x, run;
    int64_t block, tap_y, tap_x, position;
    int64_t ahead;
} block_view;

/* Weights and results of the vectors of filters, with strides between vectors. */
typedef struct block_filters {
    const float* weights;
    int64_t weights_step;
    vec start[TILE_VECTORS]; /* the bias of each, or 0 */
    float* out;
    int64_t out_step;
    tile_finish finish;
} block_filters;

OF_INLINE void block_tile(const int vectors, const int positions, const block_view* view, const float* data,
                          const block_filters* to) {
    const float* weights = to->weights;
    vec sums[OF_TILE_SUMS];
#pragma GCC unroll 16
    for (int p = 0; p < positions; p++) {
        for (int v = 0; v < vectors; v++) {
            sums[p * vectors + v] = to->start[v];
        }
    }
    for (int64_t block = 0; block < view->blocks; block++) {
        for (int64_t ty = 0; ty < view->taps_y; ty++) {
            const float* row = data + block * view->block + ty * view->tap_y;
            const float* next = row + positions * view->position;
            for (int64_t at = 0; at < view->ahead; at += LINE) __builtin_prefetch(next + at);
            for (int64_t tx = 0; tx < view->taps_x; tx++, row += view->tap_x, weights += view->run * LANES) {
                V(add_products)(positions, vectors, view->run, row, view->position, 1, weights, LANES,
                                to->weights_step, sums);
            }
        }
    }
    finish_tile(vectors, positions, &to->finish, to->out, to->out_step, sums);
#pragma GCC unroll 16
    for (int p = 0; p < positions; p++) {
        for (int v = 0; v < vectors; v++) V(store)(to->out + v * to->out_step + p * LANES, sums[p * vectors + v]);
    }
}

OF_NOINLINE void run_block_tile(int vectors, int64_t positions, const block_view* view, const float* data,
                                const block_filters* to) {
#define BLOCK_TILE(positions)                                        \
    case positions:                                                  \
        if (vectors == 1) block_tile(1, positions, view, data, to);  \
        else block_tile(2, positions, view, data, to);               \
        break;
    switch (positions) { OF_EACH_TILE(BLOCK_TILE) }
#undef BLOCK_TILE
}

#endif
