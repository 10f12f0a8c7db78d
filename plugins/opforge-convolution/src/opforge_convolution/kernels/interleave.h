/* Copies from planes to interleaved channels: the elements of all channels at one position become adjacent. */
#ifndef OPFORGE_CONVOLUTION_INTERLEAVE_H
#define OPFORGE_CONVOLUTION_INTERLEAVE_H

#include "tile.h"

/* The offsets of a vector of `count` planes; excess lanes repeat the last plane. */
OF_INLINE void interleave_offsets(int64_t plane, int64_t count, int32_t offsets[LANES]) {
    for (int64_t lane = 0; lane < LANES; lane++) offsets[lane] = (int32_t)((lane < count ? lane : count - 1) * plane);
}

OF_INLINE vec interleave_load(const float* from, const int32_t* offsets) {
    vec v;
    for (int lane = 0; lane < LANES; lane++) v[lane] = from[offsets[lane]];
    return v;
}

/* Copy `n` positions of one vector of planes; positions are `step` elements apart in the copy. */
static inline void interleave_copy(const float* from, const int32_t* offsets, int64_t n, float* to, int64_t step) {
    vec v[QUAD];
    for (int64_t i = 0; n < QUAD && i < n; i++) V(store)(to + i * step, interleave_load(from + i, offsets));
    for (int64_t i = 0; n >= QUAD && i < n; i += QUAD) {
        if (i + QUAD > n) i = n - QUAD;
        V(load_quads)(v, from + i, offsets);
        for (int j = 0; j < QUAD; j++) V(store)(to + (i + j) * step, v[j]);
    }
}

/* Copy `n` positions from `x` on of a row of `width`, for a panel of planes; 0 outside, and everywhere if `row` is
 * NULL. */
static inline void interleave_row(const float* row, int64_t plane, int64_t width, int64_t planes, int64_t x, int64_t n,
                                   float* to) {
    int64_t begin = x < 0 ? -x : 0, end = width - x < n ? width - x : n;
    if (row == NULL || end <= begin) begin = end = n;
    memset(to, 0, (size_t)(begin * PANEL) * sizeof(float));
    memset(to + end * PANEL, 0, (size_t)((n - end) * PANEL) * sizeof(float));
    for (int64_t lane = 0; begin < end && lane < PANEL && lane < planes; lane += LANES) {
        int32_t offsets[LANES];
        interleave_offsets(plane, planes - lane, offsets);
        interleave_copy(row + lane * plane + x + begin, offsets, end - begin, to + begin * PANEL + lane, PANEL);
    }
}

enum { ROW_VECTORS = (TILE_ROWS + LANES - 1) / LANES };

/* Copy `n` positions of the `rows` planes of a tile; positions are `rows` elements apart in the copy. Up to LANES
 * elements beyond the end are overwritten, so positions must be copied in order. */
static inline void interleave_tile(const float* from, int64_t plane, int64_t rows, int64_t n, float* to) {
    int32_t offsets[ROW_VECTORS][LANES];
    const float* planes[ROW_VECTORS];
    int count = (int)((rows + LANES - 1) / LANES);
    for (int k = 0; k < count; k++) {
        planes[k] = from + k * LANES * plane;
        interleave_offsets(plane, rows - k * LANES, offsets[k]);
    }
    for (int64_t i = 0; n < QUAD && i < n; i++) {
        for (int k = 0; k < count; k++) V(store)(to + i * rows + k * LANES, interleave_load(planes[k] + i, offsets[k]));
    }
    for (int64_t i = 0; n >= QUAD && i < n; i += QUAD) {
        vec v[ROW_VECTORS][QUAD];
        if (i + QUAD > n) i = n - QUAD;
        for (int k = 0; k < count; k++) V(load_quads)(v[k], planes[k] + i, offsets[k]);
        for (int j = 0; j < QUAD; j++) {
            for (int k = 0; k < count; k++) V(store)(to + (i + j) * rows + k * LANES, v[k][j]);
        }
    }
}

#endif
