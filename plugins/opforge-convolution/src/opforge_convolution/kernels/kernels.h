/* The passes over pictures of two dimensions. */
#ifndef OPFORGE_CONVOLUTION_KERNELS_H
#define OPFORGE_CONVOLUTION_KERNELS_H

#include "conv.h"
#include "picture.h"

/* The data, as the forward pass looks at them. */
picture data_picture(const conv_shape* s, const float* data);

/* The results, under a filter of one tap. */
picture out_picture(const conv_shape* s, const float* out);

/* Dense convolutions; each plans its pass. */
void forward_plan(conv_plan* plan);
void backward_data_plan(conv_plan* plan);
int32_t backward_weight_plan(opforge_call* call, conv_plan* plan);

/* CONV_WEIGHT where a group has channels enough for vectors of them. */
int backward_lines_suits(const conv_shape* s);
int32_t backward_lines_plan(opforge_call* call, conv_plan* plan);

/* CONV_WEIGHT by Winograd's convolution, where that pays. */
int winograd_weight_pays(const conv_shape* s);
int32_t winograd_weight_plan(opforge_call* call, conv_plan* plan);

/* CONV_WEIGHT without transforms, for any dense convolution. */
int32_t direct_weight_plan(opforge_call* call, conv_plan* plan);

/* CONV_OUT of one image with few places and a long filter. */
int forward_few_suits(const conv_shape* s);
void forward_few_plan(conv_plan* plan);

/* CONV_DATA where a group has few channels, or data more places than results. */
int backward_few_suits(const conv_shape* s);
void backward_few_plan(conv_plan* plan);

/* CONV_OUT on blocks: of weights as they are, and of weights that Winograd's convolution transformed. */
void blocked_plan(conv_plan* plan);
void blocked_winograd_plan(conv_plan* plan);

/* A filter for each channel alone; the first plans two passes, CONV_OUT and CONV_DATA. */
void depthwise_plan(conv_plan* plan);
void depthwise_weight_plan(conv_plan* plan);

#endif
