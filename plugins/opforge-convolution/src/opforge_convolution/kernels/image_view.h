/* Images as im2col matrices: one column per position of the filter, in the order of images, rows and positions in
 * a row; one row per element of the filter, in the order of channels and taps. The matrix is never stored:
 * `pack.h` packs panels of it directly from the images. */
#ifndef OPFORGE_CONVOLUTION_IMAGE_VIEW_H
#define OPFORGE_CONVOLUTION_IMAGE_VIEW_H

#include "vec.h"

typedef struct image_view {
    const float* data;               /* of the first channel of the first image */
    int64_t image, plane;            /* elements between images, and between channels */
    int64_t height, width;
    int64_t taps_y, taps_x;
    int64_t stride_y, stride_x;
    int64_t dilate_y, dilate_x;
    int64_t pad_y, pad_x;            /* may be negative: the filter then starts inside */
    int64_t positions_y, positions_x;      /* positions of the filter */
} image_view;

OF_INLINE int64_t image_taps(const image_view* p) { return p->taps_y * p->taps_x; }

OF_INLINE int64_t image_positions(const image_view* p) { return p->positions_y * p->positions_x; }

/* Lanes [from, to) of a vector of columns that are in one row of positions. Under the first tap, lane l reads
 * element (y, x + l * stride_x) at `offset` + l * stride_x of a channel; if `from` is not 0, that of lane 0 may be
 * outside. */
typedef struct run {
    int64_t offset, y, x;
    int32_t from, to;
} run;

/* Find the runs of the vector of columns from `column` on, at most LANES; lanes beyond the last column are in
 * none. */
OF_INLINE int image_runs(const image_view* p, int64_t column, int64_t columns, run* runs) {
    int64_t positions = image_positions(p);
    int64_t image = column / positions, position = column % positions;
    int64_t row = position / p->positions_x, at = position % p->positions_x;
    int end = columns - column < LANES ? (int)(columns - column) : LANES;
    int count = 0;
    for (int lane = 0; lane < end; count++) {
        int64_t rest = p->positions_x - at;
        int to = rest < end - lane ? lane + (int)rest : end;
        int64_t y = row * p->stride_y - p->pad_y;
        int64_t x = (at - lane) * p->stride_x - p->pad_x;
        runs[count] = (run){image * p->image + y * p->width + x, y, x, lane, to};
        lane = to;
        at = 0;
        if (++row == p->positions_y) {
            row = 0;
            image++;
        }
    }
    return count;
}

/* Whether all elements of the run, under all taps, are inside the image. */
OF_INLINE int run_is_inside(const image_view* p, const run* r) {
    int64_t first = r->x + r->from * p->stride_x, last = r->x + (r->to - 1) * p->stride_x;
    return r->y >= 0 && r->y + (p->taps_y - 1) * p->dilate_y < p->height && first >= 0 &&
           last + (p->taps_x - 1) * p->dilate_x < p->width;
}

/* The part of a run that is inside under one tap; empty unless `to` is above `from`. */
OF_INLINE run run_under_tap(const image_view* p, run r, int64_t tap_y, int64_t tap_x, int64_t step) {
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
