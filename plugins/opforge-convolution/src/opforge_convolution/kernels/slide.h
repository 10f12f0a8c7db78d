/* Depthwise convolution of one channel: a filter slides over a frame. */
#ifndef OPFORGE_CONVOLUTION_SLIDE_H
#define OPFORGE_CONVOLUTION_SLIDE_H

#include "frame.h"

/* Compute all positions of a filter, whose results start from a bias. */
void slide_channel(const frame* f, const float* data, const float* weights, float bias, float* out);

#endif
