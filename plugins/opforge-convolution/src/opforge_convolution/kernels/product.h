/* The dense product: packed weights times the columns of pictures. Forward, and backward to the data,
 * are such products. */
#ifndef OPFORGE_CONVOLUTION_PRODUCT_H
#define OPFORGE_CONVOLUTION_PRODUCT_H

#include <opforge/abi.h>

#include "finish.h"
#include "picture.h"
#include "weights.h"

/* Where results go: that of place (y, x) to y * row + x * step of its channel. */
typedef struct target {
    float* data;
    int64_t image, plane, row, step;
} target;

typedef struct product {
    picture picture;
    target target;
    int64_t images, groups, channels, filters; /* channels and filters of one group */
    const float* weights;                      /* packed */
    const float* bias;                         /* one for each filter of each group, or NULL */
    finish finish;                             /* of the results */
} product;

/* One group's share, whose packed weights have `points` elements for each filter's channel. */
static inline product product_of_group(const product* p, int64_t group, int64_t points) {
    product g = *p;
    g.picture.data += group * p->channels * p->picture.plane;
    g.target.data += group * p->filters * p->target.plane;
    g.weights += group * p->filters * p->channels * points;
    if (p->bias != NULL) g.bias += group * p->filters;
    return g;
}

/* Compute it, on all threads, with the packed weights in a workspace of so many elements. */
int64_t product_workspace(const product* p);
int32_t product_run(opforge_call* call, const product* p, const weight_view* weights, float* workspace);

#endif
