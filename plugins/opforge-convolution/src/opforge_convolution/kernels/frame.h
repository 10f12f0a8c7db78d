/* A frame: one channel of an image with zeros around it and, for the results of a strided convolution, between its
 * elements. Filters slide over it in full vectors of positions, without border checks. */
#ifndef OPFORGE_CONVOLUTION_FRAME_H
#define OPFORGE_CONVOLUTION_FRAME_H

#include "conv.h"
#include "vec.h"

typedef struct frame {
    int64_t height, width;           /* of the image */
    int64_t first_y, first_x;        /* position of its first element in the frame; may be negative */
    int64_t step_y, step_x;          /* distance between adjacent elements */
    int64_t rows, columns, row;      /* of the frame; elements between rows */
    int64_t taps_y, taps_x;
    int64_t dilate_y, dilate_x;
    int64_t stride_y, stride_x;
    int64_t positions_y, positions_x;      /* positions of the filter */
} frame;

/* Complete the derived sizes. Each row has space for a full vector of positions after its end. */
static inline frame frame_complete(frame f) {
    int64_t most_x = (f.positions_x + LANES - 1) / LANES * LANES;
    f.rows = (f.positions_y - 1) * f.stride_y + (f.taps_y - 1) * f.dilate_y + 1;
    f.columns = (f.positions_x - 1) * f.stride_x + (f.taps_x - 1) * f.dilate_x + 1;
    f.row = (most_x - 1) * f.stride_x + (f.taps_x - 1) * f.dilate_x + 1;
    return f;
}

/* The frame of the data in the forward pass. */
static inline frame frame_of_data(const conv_shape* s) {
    return frame_complete((frame){
        .height = s->in[1], .width = s->in[2], .first_y = s->pad[1], .first_x = s->pad[2],
        .step_y = 1, .step_x = 1, .taps_y = s->kernel[1], .taps_x = s->kernel[2],
        .dilate_y = s->dilate[1], .dilate_x = s->dilate[2], .stride_y = s->stride[1], .stride_x = s->stride[2],
        .positions_y = s->out[1], .positions_x = s->out[2],
    });
}

/* The frame of the results for the gradient of data, with a reversed filter. */
static inline frame frame_of_out(const conv_shape* s) {
    return frame_complete((frame){
        .height = s->out[1], .width = s->out[2],
        .first_y = (s->kernel[1] - 1) * s->dilate[1] - s->pad[1],
        .first_x = (s->kernel[2] - 1) * s->dilate[2] - s->pad[2],
        .step_y = s->stride[1], .step_x = s->stride[2], .taps_y = s->kernel[1], .taps_x = s->kernel[2],
        .dilate_y = s->dilate[1], .dilate_x = s->dilate[2], .stride_y = 1, .stride_x = 1,
        .positions_y = s->in[1], .positions_x = s->in[2],
    });
}

static inline int64_t frame_size(const frame* f) { return f->rows * f->row; }

/* Whether a thread can hold it. Pads and strides can make it far larger than the image. */
static inline int frame_fits(const frame* f) { return (double)f->rows * (double)f->row < 4e6; }

/* Copy an image into the frame, whose other elements are already 0. */
static inline void frame_fill(const frame* f, const float* image, float* to) {
    for (int64_t y = 0; y < f->height; y++, image += f->width) {
        int64_t row = f->first_y + y * f->step_y;
        if (row < 0 || row >= f->rows) continue;
        float* target = to + row * f->row;
        if (f->step_x == 1 && f->first_x >= 0 && f->first_x + f->width <= f->columns) {
            memcpy(target + f->first_x, image, (size_t)f->width * sizeof(float));
            continue;
        }
        for (int64_t x = 0; x < f->width; x++) {
            int64_t column = f->first_x + x * f->step_x;
            if (column >= 0 && column < f->columns) target[column] = image[x];
        }
    }
}

/* Load the inputs under a tap for a vector of positions from (y, x) on. */
OF_INLINE vec frame_load(const frame* f, const float* data, int64_t y, int64_t x, int64_t tap_y, int64_t tap_x,
                         int64_t stride_x) {
    const float* at = data + (y * f->stride_y + tap_y * f->dilate_y) * f->row + x * stride_x + tap_x * f->dilate_x;
    return stride_x == 1 ? V(load)(at) : V(load_lanes)((vec){0}, at, stride_x, 0, LANES);
}

#endif
