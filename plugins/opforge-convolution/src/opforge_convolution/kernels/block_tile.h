/* The innermost product on blocks: some positions of one row times one or two vectors of filters, with
 * accumulators in registers. Elements of the image are broadcast in place, weights read in order. */
#ifndef OPFORGE_CONVOLUTION_BLOCK_TILE_H
#define OPFORGE_CONVOLUTION_BLOCK_TILE_H

#include <opforge/fetch.h>

#include "tile.h"
#include "tile_finish.h"

enum { TILE_POSITIONS = TILE_ROWS };

/* The input of a position: `blocks` of `taps_y` rows of `taps_x` runs of `run` adjacent elements. Strides are in
 * elements; `position` is that between positions. `ahead` elements of each row of taps are prefetched for the tile
 * after the current one.
 *
 * With `brain`, elements are bfloat16; with `pairs`, two of an even run are multiplied at once. */
typedef struct block_view {
    int brain, pairs;
    int64_t blocks, taps_y, taps_x, run;
    int64_t block, tap_y, tap_x, position;
    int64_t ahead;
} block_view;

/* Weights and results of the vectors of filters, with strides between vectors. */
typedef struct block_filters {
    const void* weights;
    int64_t weights_step;
    vec start[TILE_VECTORS]; /* the bias of each, or 0 */
    void* out;
    int64_t out_step;
    int stores_sums; /* as float32; else as the type of the results */
    of_fetch* fetch; /* weights to fetch meanwhile, some of them for each row of taps; may be NULL */
    tile_finish finish;
} block_filters;

#ifdef OF_BRAIN_PRODUCTS
OF_INLINE void add_pairs(const int vectors, const int positions, const block_view* view, const uint16_t* row,
                         const uint16_t* weights, int64_t weights_step, vec* sums) {
    for (int64_t at = 0; at < view->run; at += 2, row += 2, weights += 2 * LANES) {
        vec right[TILE_VECTORS];
        for (int v = 0; v < vectors; v++) right[v] = *(const of_pairs*)(weights + v * weights_step);
#pragma GCC unroll 16
        for (int p = 0; p < positions; p++) {
            const vec left = V(splat)(*(const of_pair*)(row + p * view->position));
            for (int v = 0; v < vectors; v++) sums[p * vectors + v] = of_add_pairs(sums[p * vectors + v], left, right[v]);
        }
    }
}

OF_INLINE void add_singles(const int vectors, const int positions, const block_view* view, const uint16_t* row,
                           const uint16_t* weights, int64_t weights_step, vec* sums) {
    for (int64_t at = 0; at < view->run; at++, row++, weights += LANES) {
        vec right[TILE_VECTORS];
        for (int v = 0; v < vectors; v++) right[v] = load_elements(1, weights + v * weights_step);
#pragma GCC unroll 16
        for (int p = 0; p < positions; p++) {
            const vec left = V(splat)(of_brain_to_float(row[p * view->position]));
            for (int v = 0; v < vectors; v++) sums[p * vectors + v] = V(madd)(left, right[v], sums[p * vectors + v]);
        }
    }
}
#endif

/* Add the products of a run. */
OF_INLINE void add_run(const int brain, const int vectors, const int positions, const block_view* view, const void* row,
                       const void* weights, int64_t weights_step, vec* sums) {
#ifdef OF_BRAIN_PRODUCTS
    if (brain) {
        const uint16_t *elements = (const uint16_t*)row, *filters = (const uint16_t*)weights;
        if (view->pairs) add_pairs(vectors, positions, view, elements, filters, weights_step, sums);
        else add_singles(vectors, positions, view, elements, filters, weights_step, sums);
        return;
    }
#endif
    (void)brain;
    V(add_products)(positions, vectors, view->run, (const float*)row, view->position, 1, (const float*)weights, LANES,
                    weights_step, sums);
}

/* Store the sums of the vectors of adjacent positions. */
OF_INLINE void store_tile(const int brain, const int vectors, const int positions, const block_filters* to, const vec* sums) {
#pragma GCC unroll 16
    for (int p = 0; p < positions; p++) {
        for (int v = 0; v < vectors; v++) {
            const int64_t at = v * to->out_step + p * LANES;
            if (brain && !to->stores_sums) store_elements(1, (void*)element_at(1, to->out, at), sums[p * vectors + v]);
            else V(store)((float*)to->out + at, sums[p * vectors + v]);
        }
    }
}

/* Fetch `bytes` of the weights at `later` of each of some vectors while `tiles` tiles are computed. */
OF_INLINE of_fetch fetch_weights(const block_filters* to, const block_view* view, int64_t vectors, const char* later,
                                 int64_t bytes, int64_t tiles) {
    const int64_t size = view->brain ? 2 : 4, times = tiles * view->blocks * view->taps_y;
    return of_fetch_rows(later, to->weights_step * size, vectors, bytes, times);
}

/* Elements are indexed as `T`, float or uint16_t: compilers then choose better addresses than for bytes. */
#define BLOCK_TILE_OF(NAME, T, BRAIN)                                                                               \
    OF_INLINE void NAME(const int vectors, const int positions, const block_view* view, const void* data,           \
                        const block_filters* to) {                                                                  \
        const T *weights = (const T*)to->weights, *image = (const T*)data;                                          \
        vec sums[OF_TILE_SUMS];                                                                                     \
        _Pragma("GCC unroll 16")                                                                                    \
        for (int p = 0; p < positions; p++) {                                                                       \
            for (int v = 0; v < vectors; v++) sums[p * vectors + v] = to->start[v];                                 \
        }                                                                                                           \
        for (int64_t block = 0; block < view->blocks; block++) {                                                    \
            for (int64_t ty = 0; ty < view->taps_y; ty++) {                                                         \
                const T* row = image + block * view->block + ty * view->tap_y;                                      \
                const T* next = row + positions * view->position;                                                   \
                for (int64_t at = 0; at < view->ahead; at += OF_LINE / (int64_t)sizeof(T)) __builtin_prefetch(next + at); \
                if (to->fetch != NULL) of_fetch_some(to->fetch);                                                    \
                for (int64_t tx = 0; tx < view->taps_x; tx++, row += view->tap_x, weights += view->run * LANES) {   \
                    add_run(BRAIN, vectors, positions, view, row, weights, to->weights_step, sums);                 \
                }                                                                                                   \
            }                                                                                                       \
        }                                                                                                           \
        finish_tile(BRAIN, vectors, positions, &to->finish, to->out, to->out_step, sums);                           \
        store_tile(BRAIN, vectors, positions, to, sums);                                                            \
    }
BLOCK_TILE_OF(float_tile, float, 0)
#ifdef OF_BRAIN_PRODUCTS
BLOCK_TILE_OF(brain_tile, uint16_t, 1)
#endif
#undef BLOCK_TILE_OF

#define BLOCK_TILES(NAME, CASE)                                                                               \
    OF_NOINLINE void NAME(int vectors, int64_t positions, const block_view* view, const void* data,           \
                          const block_filters* to) {                                                           \
        switch (positions) { OF_EACH_TILE(CASE) }                                                              \
    }
#define FLOAT_TILE(positions)                                        \
    case positions:                                                  \
        if (vectors == 1) float_tile(1, positions, view, data, to);  \
        else float_tile(2, positions, view, data, to);               \
        break;
#define BRAIN_TILE(positions)                                        \
    case positions:                                                  \
        if (vectors == 1) brain_tile(1, positions, view, data, to);  \
        else brain_tile(2, positions, view, data, to);               \
        break;
BLOCK_TILES(run_float_tile, FLOAT_TILE)
#ifdef OF_BRAIN_PRODUCTS
BLOCK_TILES(run_brain_tile, BRAIN_TILE)
#else
#define run_brain_tile run_float_tile
#endif
#undef BRAIN_TILE
#undef FLOAT_TILE
#undef BLOCK_TILES

OF_INLINE void run_block_tile(int vectors, int64_t positions, const block_view* view, const void* data,
                              const block_filters* to) {
    (view->brain ? run_brain_tile : run_float_tile)(vectors, positions, view, data, to);
}

#endif
