/* Pictures and the columns of the matrix that a convolution multiplies by: a column for each place of
 * the filter, in the order of images, rows and places in a row; a row for each element under the
 * filter, in the order of channels and taps. The matrix itself is never made: `pack.h` takes panels
 * of it straight from the pictures. */
#ifndef OPFORGE_CONVOLUTION_PICTURE_H
#define OPFORGE_CONVOLUTION_PICTURE_H

#include "vec.h"

typedef struct picture {
    const float* data;               /* first channel of the first image */
    int64_t image, plane;            /* elements from one image, and one channel, to the next */
    int64_t height, width;
    int64_t taps_y, taps_x;
    int64_t stride_y, stride_x;
    int64_t dilate_y, dilate_x;
    int64_t pad_y, pad_x;            /* may be negative: the filter then begins inside */
    int64_t places_y, places_x;      /* places of the filter */
} picture;

FORCE_INLINE int64_t picture_taps(const picture* p) { return p->taps_y * p->taps_x; }

FORCE_INLINE int64_t picture_places(const picture* p) { return p->places_y * p->places_x; }

/* Lanes [from, to) of a vector of columns, which lie in one row of places. Under the first tap lane l
 * sees the element (y, x + l * stride_x) at `offset` + l * stride_x of a channel; where `from` is not 0
 * that of lane 0 may be outside. */
typedef struct run {
    int64_t offset, y, x;
    int32_t from, to;
} run;

/* The runs of the vector of columns from `column` on, at most LANES of them; what is behind the last
 * column belongs to none. */
FORCE_INLINE int picture_runs(const picture* p, int64_t column, int64_t columns, run* runs) {
    int64_t places = picture_places(p);
    int64_t image = column / places, place = column % places;
    int64_t row = place / p->places_x, at = place % p->places_x;
    int end = columns - column < LANES ? (int)(columns - column) : LANES;
    int count = 0;
    for (int lane = 0; lane < end; count++) {
        int64_t rest = p->places_x - at;
        int to = rest < end - lane ? lane + (int)rest : end;
        int64_t y = row * p->stride_y - p->pad_y;
        int64_t x = (at - lane) * p->stride_x - p->pad_x;
        runs[count] = (run){image * p->image + y * p->width + x, y, x, lane, to};
        lane = to;
        at = 0;
        if (++row == p->places_y) {
            row = 0;
            image++;
        }
    }
    return count;
}

/* Is all that the run sees, under all taps, inside of the picture? */
FORCE_INLINE int run_is_inside(const picture* p, const run* r) {
    int64_t first = r->x + r->from * p->stride_x, last = r->x + (r->to - 1) * p->stride_x;
    return r->y >= 0 && r->y + (p->taps_y - 1) * p->dilate_y < p->height && first >= 0 &&
           last + (p->taps_x - 1) * p->dilate_x < p->width;
}

/* The part of a run that is inside under one tap; empty where `to` is not above `from`. */
FORCE_INLINE run run_under_tap(const picture* p, run r, int64_t tap_y, int64_t tap_x, int64_t step) {
    int64_t y = r.y + tap_y * p->dilate_y, x = r.x + tap_x * p->dilate_x;
    r.offset += tap_y * p->dilate_y * p->width + tap_x * p->dilate_x;
    int64_t before = x < 0 ? (step - 1 - x) / step : 0;
    int64_t inside = x < p->width ? (p->width - x + step - 1) / step : 0;
    if (before > r.from) r.from = before < r.to ? (int32_t)before : r.to;
    if (inside < r.to) r.to = (int32_t)inside;
    if (y < 0 || y >= p->height) r.to = r.from;
    return r;
}

#endif
