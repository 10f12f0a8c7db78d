/* Which fast kernel takes a pass. */
#include "passes.h"

/* Taps of one channel: more of them are left to the general path, since a packed panel holds all. */
enum { MOST_TAPS = 1024 };

/* Pictures of float32 with two dimensions at most, and something to compute. */
static int is_taken(const conv_shape* s) {
    return s->dtype == OPFORGE_FLOAT32 && s->in[0] == 1 && s->kernel[0] == 1 && s->out[0] == 1 &&
           s->in_channels > 0 && s->out_channels > 0 && conv_volume(s->kernel) <= MOST_TAPS;
}

int32_t conv_fast_plan(opforge_call* call, conv_plan* plan) {
    if (!is_taken(&plan->shape)) return OPFORGE_OK;
    if (plan->pass == CONV_WEIGHT) return backward_weight_plan(call, plan);
    if (plan->pass == CONV_OUT) forward_plan(plan);
    else backward_data_plan(plan);
    return OPFORGE_OK;
}
