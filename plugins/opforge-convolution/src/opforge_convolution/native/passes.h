/* The passes of one call of an operator: chosen by `plan`, run by `forward` and `backward`. */
#ifndef OPFORGE_CONV_PASSES_H
#define OPFORGE_CONV_PASSES_H

#include "settings.h"

/* The plan of a call: up to two passes, which run one after the other in one workspace. */
typedef struct conv_passes {
    conv_plan of[2];
    int32_t count;
} conv_passes;

/* Make an empty plan that `conv_unplan` frees. */
conv_passes* conv_new_passes(opforge_call* call);

/* Add a pass to the call's plan. */
int32_t conv_add_pass(opforge_call* call, const conv_shape* shape, conv_pass pass);

int32_t conv_unplan(opforge_call* call);

/* Run the pass of this kind, if it was planned. */
int32_t conv_run_pass(opforge_call* call, conv_pass pass, conv_arrays arrays);

/* The sizes of the convolution of `data` to `out`, as they stand in a call. */
conv_shape conv_shape_of(const conv_settings* settings, const opforge_tensor* data, const opforge_tensor* out);

#endif
