/* Deformable convolutions in float32 and float64. */
#ifndef OPFORGE_CONV_DEFORMED_H
#define OPFORGE_CONV_DEFORMED_H

#include "settings.h"

/* The state of a deformable operator. */
typedef struct deformed_settings {
    conv_settings of;
    int64_t groups;   /* deformable groups */
    int is_modulated; /* whether samples are multiplied by a mask */
} deformed_settings;

/* The arrays, or their gradients; NULL if absent or not wanted. */
typedef struct deformed_arrays {
    void *data, *offset, *mask, *weight, *bias, *out;
} deformed_arrays;

/* Bytes of the call's workspace, for `plan`. */
int64_t conv_deformed_bytes(opforge_call* call);

/* Fill `out`. */
int32_t conv_deformed_forward(opforge_call* call, const deformed_arrays* arrays);

/* Fill the gradients of data, offset, mask and weight from that of `out`. */
int32_t conv_deformed_backward(opforge_call* call, const deformed_arrays* arrays, const deformed_arrays* grads);

#endif
