/* Staging of arrays that no kernel supports directly: 16-bit floats, or channels last. They are converted to float32
 * with channels first before a pass, and its result is converted back. */
#ifndef OPFORGE_CONV_STAGING_H
#define OPFORGE_CONV_STAGING_H

#include "conv.h"

/* Storage format of the arrays of a call. */
typedef struct conv_storage {
    opforge_dtype dtype;
    int32_t channels_last;
} conv_storage;

/* Whether kernels support this format directly. */
static inline int conv_is_direct(conv_storage storage) {
    return !storage.channels_last && !opforge_is_half(storage.dtype);
}

/* Wrap a planned pass so that it runs over arrays in another format. An error frees the plan. */
int32_t conv_stage(conv_storage storage, conv_plan* plan);

#endif
