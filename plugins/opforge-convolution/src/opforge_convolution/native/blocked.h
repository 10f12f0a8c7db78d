/* Convolution of arrays whose channels lie in blocks: conv.h has their shapes. */
#ifndef OPFORGE_CONV_BLOCKED_H
#define OPFORGE_CONV_BLOCKED_H

#include "settings.h"

/* From the data to weight, bias and output. */
int32_t conv_complete_blocked(opforge_call* call, const conv_settings* settings);

#endif
