/* Convolution of arrays with blocked channels; conv.h describes their shapes. */
#ifndef OPFORGE_CONV_BLOCKED_H
#define OPFORGE_CONV_BLOCKED_H

#include "settings.h"

/* Infer weight, bias and output from the data. */
int32_t conv_complete_blocked(opforge_call* call, const conv_settings* settings);

#endif
