/* Arguments of the loops. */
#ifndef RESIZE_ARGUMENTS_H
#define RESIZE_ARGUMENTS_H

#include "axis_map.h"

enum { DEPTH, HEIGHT, WIDTH };

/* The plan of an operator that maps the axes of its result to those of the data. */
typedef struct resampling {
    axis_map axes[3];
    int64_t planes, in_size, out_size;
    double constant;
} resampling;

typedef struct resampling_work {
    const resampling* r;
    void *data, *out; /* in backward, their gradients */
    int backward;
} resampling_work;

/* In backward, `out` is the gradient of the output, here and below. */
typedef struct sampling {
    int64_t images, channels, height, width, out_size;
    const void *data, *grid;
    void *out, *data_grad, *grid_grad;
} sampling;

typedef struct upsampling {
    int64_t planes, channels, height, width, out_height, out_width, scale, size, pad;
    const void *data, *weight;
    void *out, *data_grad, *weight_grad;
} upsampling;

#endif
