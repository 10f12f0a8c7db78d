/* The passes of one call of an operator: chosen by `plan`, run by `forward` and `backward`. */
#ifndef OPFORGE_CONV_PASSES_H
#define OPFORGE_CONV_PASSES_H

#include "settings.h"

/* Plan all passes of a call of an operator whose inputs are an array, a weight and perhaps a bias: `forward`
 * computes the output, `backward` the array's gradient, and CONV_WEIGHT the weight's, each gradient only if
 * it is wanted. Not 0: nothing is left to free. */
int32_t conv_plan_passes(opforge_call* call, const conv_settings* settings, const opforge_tensor* data,
                         const opforge_tensor* out, conv_pass forward, conv_pass backward);

int32_t conv_unplan(opforge_call* call);

/* Run the pass of this kind, if it was planned, and the call's epilogue. */
int32_t conv_run_pass(opforge_call* call, conv_pass pass, conv_arrays arrays);

#endif
