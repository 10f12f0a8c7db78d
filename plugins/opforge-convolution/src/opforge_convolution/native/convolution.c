/* The operator Convolution. */
#include "inference.h"
#include "operators.h"
#include "passes.h"

/* -- inference: from the data to weight, bias and output; from the output to the data ------------------ */

static int32_t complete_space(opforge_call* call, const conv_settings* s) {
    opforge_tensor *data = &call->arguments[0], *out = &call->outputs[0];
    for (int axis = CONV_DIMS - s->dims; axis < CONV_DIMS; axis++) {
        int space = conv_space_axis(s, axis);
        int64_t length, *in = &data->shape[space];
        if (*in == 0 && out->shape[space] != 0 && s->stride[axis] == 1) {
            int64_t found = out->shape[space] + conv_reach(s, axis) - 1 - 2 * s->pad[axis];
            if (found > 0) *in = found;
        }
        int32_t status = conv_length(call, s, axis, *in, &length);
        if (status) return status;
        conv_note(&out->shape[space], length);
    }
    return OPFORGE_OK;
}

static int32_t complete(opforge_call* call) {
    const conv_settings* s = (const conv_settings*)call->state;
    opforge_tensor *data = &call->arguments[0], *weight = &call->arguments[1], *out = &call->outputs[0];
    if (conv_is_about_types(call)) return conv_complete_types(call);
    int32_t status = conv_expect_ndim(call, "data", data, s->dims + 2);
    if (!status) status = conv_expect_ndim(call, "weight", weight, s->dims + 2);
    if (!status) status = conv_expect_ndim(call, "output", out, s->dims + 2);
    if (status) return status;
    int channel = conv_channel_axis(s);
    if (data->shape[channel] == 0) data->shape[channel] = weight->shape[channel] * s->groups;
    status = conv_check_channels(call, data->shape[channel], s->groups);
    if (status) return status;
    weight->shape[0] = out->shape[channel] = s->filters;
    conv_note(&weight->shape[channel], data->shape[channel] / s->groups);
    for (int axis = CONV_DIMS - s->dims; axis < CONV_DIMS; axis++) {
        weight->shape[conv_space_axis(s, axis)] = s->kernel[axis];
    }
    if (call->n_inputs == 3) {
        status = conv_expect_ndim(call, "bias", &call->arguments[2], 1);
        if (status) return status;
        call->arguments[2].shape[0] = s->filters;
    }
    conv_note(&out->shape[0], data->shape[0]);
    conv_note(&data->shape[0], out->shape[0]);
    return complete_space(call, s);
}

/* -- plan, forward, backward ------------------------------------------------------------------------------ */

static int32_t make_plan(opforge_call* call) {
    const conv_settings* s = (const conv_settings*)call->state;
    conv_shape shape = conv_shape_of(s, &call->inputs[0], &call->outputs[0]);
    if (conv_new_passes(call) == NULL) return OPFORGE_NO_MEMORY;
    int32_t status = OPFORGE_OK;
    if (call->stage == OPFORGE_FORWARD) status = conv_add_pass(call, &shape, CONV_OUT);
    else {
        if (call->wanted[0]) status = conv_add_pass(call, &shape, CONV_DATA);
        if (!status && call->wanted[1]) status = conv_add_pass(call, &shape, CONV_WEIGHT);
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
    return status;
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
