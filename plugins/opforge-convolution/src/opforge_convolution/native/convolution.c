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
    if (*in == 0 && *out != 0 && *out < CONV_MOST_LENGTH && s->stride[axis] == 1) {
        int64_t found = *out + conv_reach(s, axis) - 1 - 2 * s->pad[axis];
        if (found > 0) *in = found;
    }
    int32_t status = conv_length(call, s, axis, *in, &length);
    if (!status) conv_note(out, length);
    return status;
}

static int32_t complete(opforge_call* call) {
    const conv_settings* s = (const conv_settings*)call->state;
    if (s->blocked) return conv_complete_blocked(call, s);
    if (conv_is_about_types(call)) return conv_complete_types(call);
    if (call->arguments[0].ndim == -1) return OPFORGE_OK;
    int32_t status = conv_complete_channels(call, s, 1, 0);
    for (int axis = CONV_DIMS - s->dims; axis < CONV_DIMS && !status; axis++) status = complete_length(call, s, axis);
    return status;
}

/* -- plan, forward, backward ------------------------------------------------------------------------------ */

static int32_t make_plan(opforge_call* call) {
    const conv_settings* s = (const conv_settings*)call->state;
    const opforge_tensor *data = &call->inputs[0], *out = &call->outputs[0];
    if (conv_new_passes(call) == NULL) return OPFORGE_NO_MEMORY;
    int32_t status = OPFORGE_OK;
    if (call->stage == OPFORGE_FORWARD) status = conv_add_pass(call, s, data, out, CONV_OUT);
    else if (s->blocked) status = opforge_fail(call, OPFORGE_ERROR, "there is no gradient in blocks");
    else {
        if (call->wanted[0]) status = conv_add_pass(call, s, data, out, CONV_DATA);
        if (!status && call->wanted[1]) status = conv_add_pass(call, s, data, out, CONV_WEIGHT);
    }
    if (status) conv_unplan(call);
    return status;
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
    if (status || call->n_inputs < 3 || !call->wanted[2]) return status;
    return conv_sum_channels(call, (const conv_settings*)call->state, &call->out_grads[0], call->in_grads[2].data);
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
