/* Convolutions of bfloat16, mostly as matrix products of pairs of elements, with sums of float32 that are rounded once. */
#ifndef OPFORGE_CONVOLUTION_BRAIN_H
#define OPFORGE_CONVOLUTION_BRAIN_H

#include "conv.h"

/* Plan a pass over a supported shape if the processor multiplies pairs and it is faster than on copies of float32.
 * `is_depthwise`: each group has one channel and one filter, and frames fit. */
int32_t brain_plan(opforge_call* call, conv_plan* plan, int is_depthwise);

/* CONV_OUT and CONV_DATA, and CONV_WEIGHT. */
int32_t brain_product_plan(opforge_call* call, conv_plan* plan);
int32_t brain_weight_plan(opforge_call* call, conv_plan* plan);

/* CONV_OUT and CONV_DATA of depthwise convolutions. */
void brain_depthwise_plan(opforge_call* call, conv_plan* plan);

#endif
