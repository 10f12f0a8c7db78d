/* What is done to whole channels: the sums that are a bias's gradient. Adding a bias is in conv.h. */
#ifndef OPFORGE_CONV_CHANNELS_H
#define OPFORGE_CONV_CHANNELS_H

#include "settings.h"

/* Sum an array over all dimensions but that of its channels, in double, into an array of its type. */
int32_t conv_sum_channels(opforge_call* call, const conv_settings* settings, const opforge_tensor* array, void* sums);

#endif
