/* Copies of (images, channels, positions) with channels as the last axis, and back. */
#ifndef OPFORGE_QUANTIZED_CHANNELS_LAST_H
#define OPFORGE_QUANTIZED_CHANNELS_LAST_H

#include <opforge/abi.h>

/* Bytes. */
void move_channels_last(opforge_call* call, const void* from, void* to, int64_t images, int64_t channels,
                        int64_t positions);

/* Elements of `item` bytes, 1 or 4. */
void move_channels_first(opforge_call* call, const void* from, void* to, int64_t images, int64_t channels,
                         int64_t positions, int64_t item);

#endif
