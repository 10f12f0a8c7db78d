/* Packing of columns of a convolution's im2col matrix from images: the elements under the filter, and zeros
 * outside. */
#ifndef OPFORGE_CONVOLUTION_PACK_H
#define OPFORGE_CONVOLUTION_PACK_H

#include "image_view.h"

OF_INLINE vec load_runs(const float* channel, const run* runs, int count, int64_t step) {
    vec v = {0};
    for (int i = 0; i < count; i++) {
        v = V(load_lanes)(v, channel + runs[i].offset, step, runs[i].from, runs[i].to);
    }
    return v;
}

/* If all is inside, every tap reads the same runs at a constant offset. */
OF_INLINE void pack_inside(const image_view* p, const run* runs, int count, int64_t begin, int64_t end,
                           float* to, int64_t row, int64_t step) {
    int whole = step == 1 && runs[0].to - runs[0].from == LANES;
    for (int64_t c = begin; c < end; c++) {
        for (int64_t ty = 0; ty < p->taps_y; ty++) {
            const float* from = p->data + c * p->plane + ty * p->dilate_y * p->width;
            for (int64_t tx = 0; tx < p->taps_x; tx++, to += row, from += p->dilate_x) {
                V(store)(to, whole ? V(load)(from + runs[0].offset) : load_runs(from, runs, count, step));
            }
        }
    }
}

/* At a border, the lanes that are inside depend on the tap but not on the channel. */
OF_INLINE void pack_border(const image_view* p, const run* runs, int count, int64_t begin, int64_t end,
                           float* to, int64_t row, int64_t step) {
    int64_t taps = image_taps(p);
    for (int64_t tap = 0; tap < taps; tap++) {
        run seen[LANES];
        int n = 0;
        for (int i = 0; i < count; i++) {
            seen[n] = run_under_tap(p, runs[i], tap / p->taps_x, tap % p->taps_x, step);
            n += seen[n].to > seen[n].from;
        }
        float* target = to + tap * row;
        for (int64_t c = begin; c < end; c++, target += taps * row) {
            V(store)(target, load_runs(p->data + c * p->plane, seen, n, step));
        }
    }
}

OF_INLINE void pack_vector(const image_view* p, const run* runs, int count, int64_t begin, int64_t end,
                           float* to, int64_t row, int64_t step) {
    int inside = count > 0;
    for (int i = 0; i < count; i++) inside &= run_is_inside(p, &runs[i]);
    (inside ? pack_inside : pack_border)(p, runs, count, begin, end, to, row, step);
}

/* Copy `vectors` vectors of columns from `column` on, of channels [begin, end). Rows of `to` are `row` elements
 * apart. */
static void pack_columns(const image_view* p, int64_t column, int64_t columns, int vectors, int64_t begin,
                         int64_t end, float* to, int64_t row) {
    run runs[LANES];
    for (int v = 0; v < vectors; v++, column += LANES, to += LANES) {
        int count = column < columns ? image_runs(p, column, columns, runs) : 0;
        if (p->stride_x == 1) pack_vector(p, runs, count, begin, end, to, row, 1);
        else if (p->stride_x == 2) pack_vector(p, runs, count, begin, end, to, row, 2);
        else pack_vector(p, runs, count, begin, end, to, row, p->stride_x);
    }
}

#endif
