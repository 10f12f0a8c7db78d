/* Passes over two-dimensional images. */
#ifndef OPFORGE_CONVOLUTION_KERNELS_H
#define OPFORGE_CONVOLUTION_KERNELS_H

#include "conv.h"
#include "image_view.h"
#include "weights.h"

/* The view of the data in the forward pass. */
image_view data_view(const conv_shape* s, const float* data);

/* The view of the weights in the forward pass. */
weight_view forward_weights(const conv_shape* s, const float* weight);

/* The view of the results under a 1x1 filter. */
image_view out_view(const conv_shape* s, const float* out);

/* Dense convolutions; each function plans its pass. */
void forward_plan(conv_plan* plan);
void backward_data_plan(conv_plan* plan);
int32_t backward_weight_plan(opforge_call* call, conv_plan* plan);

/* CONV_WEIGHT for groups with enough channels to fill vectors. */
int backward_lines_applies(const conv_shape* s);
int32_t backward_lines_plan(opforge_call* call, conv_plan* plan);

/* CONV_WEIGHT by Winograd's convolution, if it is faster. */
int winograd_weight_is_faster(const conv_shape* s);
int32_t winograd_weight_plan(opforge_call* call, conv_plan* plan);

/* CONV_WEIGHT without transforms, for any dense convolution. */
int32_t direct_weight_plan(opforge_call* call, conv_plan* plan);

/* CONV_OUT of one image with few positions and a long filter. */
int forward_dots_applies(const conv_shape* s);
void forward_dots_plan(conv_plan* plan);

/* CONV_DATA for groups with few channels, or if there are more data than result positions. */
int backward_scatter_applies(const conv_shape* s);
void backward_scatter_plan(conv_plan* plan);

/* CONV_OUT on blocks: with plain weights, with weights transformed for Winograd's convolution, and depthwise. */
void blocked_plan(opforge_call* call, conv_plan* plan);
void blocked_winograd_plan(conv_plan* plan);
void blocked_depthwise_plan(opforge_call* call, conv_plan* plan);

/* Depthwise convolution; the first plans two passes, CONV_OUT and CONV_DATA. */
void depthwise_plan(conv_plan* plan);
void depthwise_weight_plan(conv_plan* plan);

#endif
