/* Arrays that no kernel takes as they are: of float16, or with the channels last. They are brought to
 * float32 with the channels first before a pass, and what it computed is brought back. */
#ifndef OPFORGE_CONV_STAGING_H
#define OPFORGE_CONV_STAGING_H

#include "conv.h"

/* How the arrays of a call are stored. */
typedef struct conv_storage {
    int32_t dtype;
    int32_t channels_last;
} conv_storage;

/* Whether kernels take arrays that are stored like this. */
static inline int conv_is_direct(conv_storage storage) {
    return !storage.channels_last && storage.dtype != OPFORGE_FLOAT16;
}

/* Make of a planned pass one over arrays in another storage. An error frees what was planned. */
int32_t conv_stage(conv_storage storage, conv_plan* plan);

#endif
