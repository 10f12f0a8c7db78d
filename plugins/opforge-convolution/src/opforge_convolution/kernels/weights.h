/* Packing of weights in the order in which tiles read them. */
#ifndef OPFORGE_CONVOLUTION_WEIGHTS_H
#define OPFORGE_CONVOLUTION_WEIGHTS_H

#include <opforge/abi.h>

/* Weights viewed as one matrix per group: rows, each with channels of taps. Strides are in elements, negative for
 * taps in reverse order. */
typedef struct weight_view {
    const float* data;
    int64_t groups, rows, channels, taps_y, taps_x;
    int64_t group_step, row_step, channel_step, tap_y_step, tap_x_step;
} weight_view;

/* The number of elements of packed weights. */
int64_t weights_count(const weight_view* view);

/* Pack weights: groups, tiles, elements, and the rows of a tile side by side. */
void weights_pack(opforge_call* call, const weight_view* view, float* packed);

#endif
