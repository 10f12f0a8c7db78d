/* The dense product: packed weights times the columns of images. The forward pass and the gradient of data are
 * such products. */
#ifndef OPFORGE_CONVOLUTION_PRODUCT_H
#define OPFORGE_CONVOLUTION_PRODUCT_H

#include <opforge/abi.h>

#include "finish.h"
#include "image_view.h"
#include "weights.h"

/* Destination of results: position (y, x) at y * row + x * step of its channel. */
typedef struct target {
    float* data;
    int64_t image, plane, row, step;
} target;

typedef struct product {
    image_view image_view;
    target target;
    int64_t images, groups, channels, filters; /* channels and filters of one group */
    const float* weights;                      /* packed */
    const float* bias;                         /* one for each filter of each group, or NULL */
    finish finish;                             /* of the results */
} product;

/* The product of one group; packed weights have `points` elements per filter and channel. */
static inline product product_of_group(const product* p, int64_t group, int64_t points) {
    product g = *p;
    g.image_view.data += group * p->channels * p->image_view.plane;
    g.target.data += group * p->filters * p->target.plane;
    g.weights += group * p->filters * p->channels * points;
    if (p->bias != NULL) g.bias += group * p->filters;
    return g;
}

/* Compute the product on all threads, with packed weights, in a workspace of this many elements. */
int64_t product_workspace(const product* p);
int32_t product_run(opforge_call* call, const product* p, const weight_view* weights, float* workspace);

#endif
