/* Pooling of images of bytes whose channels are the last axis: (n, 1, h, w, channels). */
#ifndef OPFORGE_QUANTIZED_POOLING_CHANNELS_H
#define OPFORGE_QUANTIZED_POOLING_CHANNELS_H

#include "native/window.h"

/* Compute maxima or averages of the first input; `with_pad`: averages include padding. */
void pool_channels(opforge_call* call, const window* w, int is_max, int with_pad);

#endif
