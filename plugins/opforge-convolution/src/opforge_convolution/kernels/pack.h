/* Columns of a convolution's matrix, copied from the pictures: the elements under the filter, and
 * zeros where it is outside. */
#ifndef OPFORGE_CONVOLUTION_PACK_H
#define OPFORGE_CONVOLUTION_PACK_H

#include "picture.h"

FORCE_INLINE vec load_runs(const float* channel, const run* runs, int count, int64_t step) {
    vec v = {0};
    for (int i = 0; i < count; i++) {
        v = vec_load_lanes(v, channel + runs[i].offset, step, runs[i].from, runs[i].to);
    }
    return v;
}

/* Where all is inside, every tap sees the same runs a constant further on. */
FORCE_INLINE void pack_inside(const picture* p, const run* runs, int count, int64_t begin, int64_t end,
                              float* to, int64_t row, int64_t step) {
    int whole = step == 1 && runs[0].to - runs[0].from == LANES;
    for (int64_t c = begin; c < end; c++) {
        for (int64_t ty = 0; ty < p->taps_y; ty++) {
            const float* from = p->data + c * p->plane + ty * p->dilate_y * p->width;
            for (int64_t tx = 0; tx < p->taps_x; tx++, to += row, from += p->dilate_x) {
                vec_store(to, whole ? vec_load(from + runs[0].offset) : load_runs(from, runs, count, step));
            }
        }
    }
}

/* At the border the lanes that are inside differ from tap to tap, but not from channel to channel. */
FORCE_INLINE void pack_border(const picture* p, const run* runs, int count, int64_t begin, int64_t end,
                              float* to, int64_t row, int64_t step) {
    int64_t taps = picture_taps(p);
    for (int64_t tap = 0; tap < taps; tap++) {
        run seen[LANES];
        int n = 0;
        for (int i = 0; i < count; i++) {
            seen[n] = run_under_tap(p, runs[i], tap / p->taps_x, tap % p->taps_x, step);
            n += seen[n].to > seen[n].from;
        }
        float* target = to + tap * row;
        for (int64_t c = begin; c < end; c++, target += taps * row) {
            vec_store(target, load_runs(p->data + c * p->plane, seen, n, step));
        }
    }
}

FORCE_INLINE void pack_vector(const picture* p, const run* runs, int count, int64_t begin, int64_t end,
                              float* to, int64_t row, int64_t step) {
    int inside = count > 0;
    for (int i = 0; i < count; i++) inside &= run_is_inside(p, &runs[i]);
    (inside ? pack_inside : pack_border)(p, runs, count, begin, end, to, row, step);
}

/* Copy what `vectors` vectors of columns from `column` on see in channels [begin, end). The rows of
 * `to` are `row` elements apart. */
static void pack_columns(const picture* p, int64_t column, int64_t columns, int vectors, int64_t begin,
                         int64_t end, float* to, int64_t row) {
    run runs[LANES];
    for (int v = 0; v < vectors; v++, column += LANES, to += LANES) {
        int count = column < columns ? picture_runs(p, column, columns, runs) : 0;
        if (p->stride_x == 1) pack_vector(p, runs, count, begin, end, to, row, 1);
        else if (p->stride_x == 2) pack_vector(p, runs, count, begin, end, to, row, 2);
        else pack_vector(p, runs, count, begin, end, to, row, p->stride_x);
    }
}

#endif
