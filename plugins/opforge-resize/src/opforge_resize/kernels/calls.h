/* What calls are about, for the loops. */
#ifndef RESIZE_CALLS_H
#define RESIZE_CALLS_H

#include "line.h"

enum { DEPTH, HEIGHT, WIDTH };

/* The plan of planes that come from elsewhere. */
typedef struct resampling {
    line lines[3];
    int64_t planes, in_size, out_size;
    double constant;
} resampling;

typedef struct resampling_work {
    const resampling* r;
    void *data, *out; /* in backward their gradients */
    int backward;
} resampling_work;

/* In backward `out` is its gradient. */
typedef struct sampling {
    int64_t images, channels, height, width, out_size;
    const void *data, *grid;
    void *out, *data_grad, *grid_grad;
} sampling;

typedef struct stamping {
    int64_t planes, channels, height, width, out_height, out_width, scale, size, pad;
    const void *data, *weight;
    void *out, *data_grad, *weight_grad;
} stamping;

#endif
