/* Reductions over channels for the gradient of a bias. Adding a bias is in conv.h. */
#ifndef OPFORGE_CONV_CHANNELS_H
#define OPFORGE_CONV_CHANNELS_H

#include "settings.h"

/* Sum an array over all dimensions except the channels, in double, into an array of its type. */
int32_t conv_sum_channels(opforge_call* call, const conv_settings* settings, const opforge_tensor* array, void* sums);

/* Compute the gradient of the bias, input 2, from that of the output, if there is a bias and it is wanted. */
int32_t conv_bias_gradient(opforge_call* call, const conv_settings* settings);

#endif
