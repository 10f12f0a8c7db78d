/* The innermost product on blocks: some places of one row times one or two vectors of filters, with the
 * sums in registers. Elements of the picture are broadcast from where they are, weights read in order. */
#ifndef OPFORGE_CONVOLUTION_BLOCK_TILE_H
#define OPFORGE_CONVOLUTION_BLOCK_TILE_H

#include "tile.h"

enum { TILE_PLACES = TILE_ROWS, TILE_VECTORS = 2 };

/* What a place sees: `blocks` of `taps_y` rows of `taps_x` runs, each of `run` elements side by side.
 * Steps are in elements; `place` is that from one place to the next. */
typedef struct block_view {
    int64_t blocks, taps_y, taps_x, run;
    int64_t block, tap_y, tap_x, place;
} block_view;

/* Where weights and results of the vectors of filters are; steps from one vector to the next. */
typedef struct block_filters {
    const float* weights;
    int64_t weights_step;
    const float* bias; /* NULL: 0 */
    float* out;
    int64_t out_step;
} block_filters;

typedef void (*block_tile_function)(const block_view* view, const float* data, const block_filters* to);

FORCE_INLINE void block_tile(const int vectors, const int places, const block_view* view, const float* data,
                             const block_filters* to) {
    enum { BASES = (TILE_PLACES + 2) / 3 };
    const float* weights = to->weights;
    int64_t step = view->place, weights_step = to->weights_step;
    vec sums[TILE_PLACES][TILE_VECTORS];
#pragma GCC unroll 16
    for (int p = 0; p < places; p++) {
        for (int v = 0; v < vectors; v++) {
            sums[p][v] = to->bias == NULL ? (vec){0} : vec_load(to->bias + v * LANES);
        }
    }
    for (int64_t block = 0; block < view->blocks; block++) {
        for (int64_t ty = 0; ty < view->taps_y; ty++) {
            const float* row = data + block * view->block + ty * view->tap_y;
            for (int64_t tx = 0; tx < view->taps_x; tx++, row += view->tap_x) {
                /* Addresses have a base, an index, and the factors 1 and 2: three places share a base. */
                const float* base[BASES];
#pragma GCC unroll 8
                for (int i = 0; i < BASES; i++) base[i] = row + 3 * i * step;
                for (int64_t k = 0; k < view->run; k++, weights += LANES) {
                    vec weight[TILE_VECTORS];
                    for (int v = 0; v < vectors; v++) weight[v] = vec_load(weights + v * weights_step);
#pragma GCC unroll 16
                    for (int p = 0; p < places; p++) {
                        vec one = vec_of(base[p / 3][p % 3 * step]);
                        for (int v = 0; v < vectors; v++) sums[p][v] += one * weight[v];
                    }
#pragma GCC unroll 8
                    for (int i = 0; i < BASES; i++) base[i]++;
                }
            }
        }
    }
#pragma GCC unroll 16
    for (int p = 0; p < places; p++) {
        for (int v = 0; v < vectors; v++) vec_store(to->out + v * to->out_step + p * LANES, sums[p][v]);
    }
}

#define BLOCK_TILE(places)                                                                               \
    static void block_tile_1_##places(const block_view* view, const float* data, const block_filters* to) { \
        block_tile(1, places, view, data, to);                                                           \
    }                                                                                                    \
    static void block_tile_2_##places(const block_view* view, const float* data, const block_filters* to) { \
        block_tile(2, places, view, data, to);                                                           \
    }
EACH_TILE(BLOCK_TILE)
#undef BLOCK_TILE

/* By the number of vectors less one, and the number of places. */
#define BLOCK_TILE_1(places) block_tile_1_##places,
#define BLOCK_TILE_2(places) block_tile_2_##places,
static const block_tile_function block_tiles[TILE_VECTORS][TILE_PLACES + 1] = {
    {NULL, EACH_TILE(BLOCK_TILE_1)},
    {NULL, EACH_TILE(BLOCK_TILE_2)},
};
#undef BLOCK_TILE_1
#undef BLOCK_TILE_2

#endif
