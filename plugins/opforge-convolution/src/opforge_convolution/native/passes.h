/* The passes of one call of an operator: chosen by `plan`, run by `forward` and `backward`. */
#ifndef OPFORGE_CONV_PASSES_H
#define OPFORGE_CONV_PASSES_H

#include "settings.h"

/* Make an empty plan of a call, which `conv_unplan` frees; NULL: there is no memory. */
void* conv_new_passes(opforge_call* call);

/* Add a pass of the convolution of `data` to `out` to the call's plan. There are at most two, which run
 * one after the other in one workspace. */
int32_t conv_add_pass(opforge_call* call, const conv_settings* settings, const opforge_tensor* data,
                      const opforge_tensor* out, conv_pass pass);

int32_t conv_unplan(opforge_call* call);

/* Run the pass of this kind, if it was planned, and the call's epilogue. */
int32_t conv_run_pass(opforge_call* call, conv_pass pass, conv_arrays arrays);

#endif
