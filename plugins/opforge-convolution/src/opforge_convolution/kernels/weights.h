/* Weights in the order in which tiles read them. */
#ifndef OPFORGE_CONVOLUTION_WEIGHTS_H
#define OPFORGE_CONVOLUTION_WEIGHTS_H

#include <opforge/abi.h>

/* A view of weights as a matrix for each group: rows, and for each row channels of taps. Steps are in
 * elements, negative where taps are taken in the opposite order. */
typedef struct weight_view {
    const float* data;
    int64_t groups, rows, channels, taps_y, taps_x;
    int64_t group_step, row_step, channel_step, tap_y_step, tap_x_step;
} weight_view;

/* Elements of packed weights. */
int64_t weights_count(const weight_view* view);

/* Pack: group after group, tile after tile, element after element, the rows of a tile side by side. */
void weights_pack(opforge_call* call, const weight_view* view, float* packed);

#endif
