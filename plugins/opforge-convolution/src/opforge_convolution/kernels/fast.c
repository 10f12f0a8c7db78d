/* Selection of the fast kernel for a pass. */
#include "brain.h"
#include "frame.h"
#include "kernels.h"

enum {
    MAX_TAPS = 1024, /* of one channel; a packed panel holds all of them */
    MAX_FILTERS = 1 << 13, /* of a group; a thread packs the gradient of all of them, 17 MiB */
};

/* Whether the kernels support the shape: at most two dimensions, not empty. */
static int is_supported(const conv_shape* s) {
    return s->in[0] == 1 && s->kernel[0] == 1 && s->out[0] == 1 && s->pad[0] == 0 &&
           s->n > 0 && s->groups > 0 && s->in_channels > 0 && s->out_channels > 0 &&
           conv_volume(s->in) > 0 && conv_volume(s->out) > 0 && conv_volume(s->kernel) <= MAX_TAPS;
}

static int is_depthwise(const conv_shape* s) {
    frame data = frame_of_data(s), out = frame_of_out(s);
    return s->in_channels == 1 && s->out_channels == 1 && s->groups > 1 && frame_fits(&data) && frame_fits(&out);
}

/* Treat all positions as one row for 1x1 filters with stride 1, so that vectors do not end with the rows. */
static void flatten(conv_shape* s) {
    for (int axis = 0; axis < CONV_DIMS; axis++) {
        if (s->kernel[axis] != 1 || s->stride[axis] != 1 || s->pad[axis] != 0) return;
    }
    s->in[2] = s->out[2] = conv_volume(s->in);
    s->in[0] = s->in[1] = s->out[0] = s->out[1] = 1;
}

int64_t conv_fast_lanes(void) { return LANES; }

int32_t direct_weight_plan(opforge_call* call, conv_plan* plan) {
    return (backward_lines_applies(&plan->shape) ? backward_lines_plan : backward_weight_plan)(call, plan);
}

static int32_t plan_weight(opforge_call* call, conv_plan* plan) {
    const conv_shape* s = &plan->shape;
    if (s->out_channels > MAX_FILTERS) return OPFORGE_OK;
    if (is_depthwise(s)) {
        depthwise_weight_plan(plan);
        return OPFORGE_OK;
    }
    return (winograd_weight_is_faster(s) ? winograd_weight_plan : direct_weight_plan)(call, plan);
}

int32_t conv_fast_plan(opforge_call* call, conv_plan* plan) {
    conv_shape* s = &plan->shape;
    flatten(s);
    if (s->lanes > 0) {
        if (s->form == CONV_WINOGRAD) blocked_winograd_plan(plan);
        else if (s->form == CONV_DEPTHWISE) blocked_depthwise_plan(call, plan);
        else blocked_plan(call, plan);
        return OPFORGE_OK;
    }
    if (!is_supported(s)) return OPFORGE_OK;
    if (s->dtype == OPFORGE_BFLOAT16) return brain_plan(call, plan, is_depthwise(s));
    if (s->dtype != OPFORGE_FLOAT32) return OPFORGE_OK;
    if (plan->pass == CONV_WEIGHT) return plan_weight(call, plan);
    if (is_depthwise(s)) depthwise_plan(plan);
    else if (plan->pass == CONV_OUT && forward_dots_applies(s)) forward_dots_plan(plan);
    else if (plan->pass == CONV_OUT) forward_plan(plan);
    else if (backward_scatter_applies(s)) backward_scatter_plan(plan);
    else backward_data_plan(plan);
    return OPFORGE_OK;
}
