/* Copies that turn pictures round: what lies in planes, place beside place, comes to lie channel beside
 * channel for each place. */
#ifndef OPFORGE_CONVOLUTION_ACROSS_H
#define OPFORGE_CONVOLUTION_ACROSS_H

#include "quads.h"
#include "tile.h"

/* The first places of a vector of planes, of which there are `count`; what is behind the last is that again. */
FORCE_INLINE void across_offsets(int64_t plane, int64_t count, int32_t offsets[LANES]) {
    for (int64_t lane = 0; lane < LANES; lane++) offsets[lane] = (int32_t)((lane < count ? lane : count - 1) * plane);
}

FORCE_INLINE vec across_load(const float* from, const int32_t* offsets) {
    vec v;
    for (int lane = 0; lane < LANES; lane++) v[lane] = from[offsets[lane]];
    return v;
}

/* Copy `n` places of one vector of planes; a place takes `step` elements. */
static inline void across_copy(const float* from, const int32_t* offsets, int64_t n, float* to, int64_t step) {
    vec v[QUAD];
    for (int64_t i = 0; n < QUAD && i < n; i++) vec_store(to + i * step, across_load(from + i, offsets));
    for (int64_t i = 0; n >= QUAD && i < n; i += QUAD) {
        if (i + QUAD > n) i = n - QUAD;
        quads_load(v, from + i, offsets);
        for (int j = 0; j < QUAD; j++) vec_store(to + (i + j) * step, v[j]);
    }
}

/* Copy `n` places from `x` on of a row of `width` places, of a panel of planes; 0 where it is outside, and all
 * is where `row` is NULL. */
static inline void across_copy_row(const float* row, int64_t plane, int64_t width, int64_t planes, int64_t x, int64_t n,
                                   float* to) {
    int64_t begin = x < 0 ? -x : 0, end = width - x < n ? width - x : n;
    if (row == NULL || end <= begin) begin = end = n;
    memset(to, 0, (size_t)(begin * PANEL) * sizeof(float));
    memset(to + end * PANEL, 0, (size_t)((n - end) * PANEL) * sizeof(float));
    for (int64_t lane = 0; begin < end && lane < PANEL && lane < planes; lane += LANES) {
        int32_t offsets[LANES];
        across_offsets(plane, planes - lane, offsets);
        across_copy(row + lane * plane + x + begin, offsets, end - begin, to + begin * PANEL + lane, PANEL);
    }
}

enum { ROW_VECTORS = (TILE_ROWS + LANES - 1) / LANES };

/* Copy `n` places of the `rows` planes of a tile; a place takes `rows` elements. Up to LANES elements behind
 * all are written too: places are copied in their order. */
static inline void across_copy_tile(const float* from, int64_t plane, int64_t rows, int64_t n, float* to) {
    int32_t offsets[ROW_VECTORS][LANES];
    const float* planes[ROW_VECTORS];
    int count = (int)((rows + LANES - 1) / LANES);
    for (int k = 0; k < count; k++) {
        planes[k] = from + k * LANES * plane;
        across_offsets(plane, rows - k * LANES, offsets[k]);
    }
    for (int64_t i = 0; n < QUAD && i < n; i++) {
        for (int k = 0; k < count; k++) vec_store(to + i * rows + k * LANES, across_load(planes[k] + i, offsets[k]));
    }
    for (int64_t i = 0; n >= QUAD && i < n; i += QUAD) {
        vec v[ROW_VECTORS][QUAD];
        if (i + QUAD > n) i = n - QUAD;
        for (int k = 0; k < count; k++) quads_load(v[k], planes[k] + i, offsets[k]);
        for (int j = 0; j < QUAD; j++) {
            for (int k = 0; k < count; k++) vec_store(to + (i + j) * rows + k * LANES, v[k][j]);
        }
    }
}

#endif
