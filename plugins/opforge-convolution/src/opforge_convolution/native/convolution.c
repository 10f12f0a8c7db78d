/* The operator Convolution. */
#include "blocked.h"
#include "channels.h"
#include "inference.h"
#include "operators.h"
#include "passes.h"

/* -- inference: from the data to weight, bias and output; from the output to the data ------------------ */

static int32_t complete_length(opforge_call* call, const conv_settings* s, int axis) {
    int space = conv_space_axis(s, axis);
    int64_t *in = &call->arguments[0].shape[space], *out = &call->outputs[0].shape[space], length;
    if (*in == 0 && *out != 0 && *out < CONV_MAX_LENGTH && s->stride[axis] == 1) {
        int64_t found = *out + conv_reach(s, axis) - 1 - 2 * s->pad[axis];
        if (found > 0) *in = found;
    }
    int32_t status = conv_length(call, s, axis, *in, &length);
    if (!status) conv_update_length(out, length);
    return status;
}

static int32_t complete(opforge_call* call) {
    const conv_settings* s = (const conv_settings*)call->state;
    if (s->form != CONV_PLAIN) return conv_complete_blocked(call, s);
    if (conv_is_about_types(call)) return conv_complete_types(call);
    if (call->arguments[0].ndim == -1) return OPFORGE_OK;
    int32_t status = conv_complete_channels(call, s, 1, 0);
    for (int axis = CONV_DIMS - s->dims; axis < CONV_DIMS && !status; axis++) status = complete_length(call, s, axis);
    return status;
}

/* -- plan, forward, backward ------------------------------------------------------------------------------ */

static int32_t make_plan(opforge_call* call) {
    const conv_settings* s = (const conv_settings*)call->state;
    if (s->form != CONV_PLAIN && call->stage != OPFORGE_FORWARD) {
        return opforge_fail(call, OPFORGE_ERROR, "blocked convolutions have no gradient");
    }
    return conv_plan_passes(call, s, &call->inputs[0], &call->outputs[0], CONV_OUT, CONV_DATA);
}

static int32_t forward(opforge_call* call) {
    conv_arrays arrays = {.data = call->inputs[0].data, .weight = call->inputs[1].data, .out = call->outputs[0].data};
    if (call->n_inputs == 3) arrays.bias = call->inputs[2].data;
    return conv_run_pass(call, CONV_OUT, arrays);
}

static int32_t backward(opforge_call* call) {
    conv_arrays arrays = {.data = call->in_grads[0].data, .weight = call->inputs[1].data, .out = call->out_grads[0].data};
    int32_t status = conv_run_pass(call, CONV_DATA, arrays);
    arrays.data = call->inputs[0].data;
    arrays.weight = call->in_grads[1].data;
    if (!status) status = conv_run_pass(call, CONV_WEIGHT, arrays);
    return status ? status : conv_bias_gradient(call, (const conv_settings*)call->state);
}

const opforge_operator conv_convolution = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "Convolution",
    .create = conv_create,
    .destroy = conv_destroy,
    .complete = complete,
    .plan = make_plan,
    .unplan = conv_unplan,
    .forward = forward,
    .backward = backward,
    .flags = OPFORGE_WANTED,
};
