/* The operator Deconvolution: a convolution run from its output to its data. */
#include <stdlib.h>

#include "channels.h"
#include "inference.h"
#include "operators.h"
#include "passes.h"

typedef struct deconv_settings {
    conv_settings of; /* of that convolution; `pad` applies without target_shape */
    int64_t adjust[CONV_DIMS], target[CONV_DIMS];
    int has_target;
} deconv_settings;

/* -- settings ---------------------------------------------------------------------------------------------- */

static int32_t check_adjust(opforge_call* call, const conv_settings* s, const int64_t* adjust) {
    for (int axis = 0; axis < CONV_DIMS; axis++) {
        if (adjust[axis] < s->stride[axis]) continue;
        return opforge_fail(call, OPFORGE_BAD_ATTRIBUTE, "adj is %lld; expected less than the stride, %lld",
                            (long long)adjust[axis], (long long)s->stride[axis]);
    }
    return OPFORGE_OK;
}

static int32_t create(opforge_call* call) {
    deconv_settings* d = (deconv_settings*)malloc(sizeof *d);
    if (d == NULL) return OPFORGE_NO_MEMORY;
    int32_t status = conv_read_settings(call, 1, CONV_DIMS, &d->of);
    if (!status) status = conv_read_lengths(call, "adj", d->of.dims, 0, d->adjust);
    if (!status) status = conv_read_lengths(call, "target_shape", d->of.dims, 0, d->target);
    d->has_target = 0;
    for (int axis = 0; axis < CONV_DIMS && !status; axis++) d->has_target |= d->target[axis] != 0;
    if (!status && !d->has_target) status = check_adjust(call, &d->of, d->adjust);
    if (status) free(d);
    else call->state = d;
    return status;
}

/* Compute the output length without pad; an error if it overflows. */
static int32_t full_length(opforge_call* call, const conv_settings* s, int axis, int64_t in, int64_t* length) {
    if (!__builtin_mul_overflow(in - 1, s->stride[axis], length) &&
        !__builtin_add_overflow(*length, conv_reach(s, axis), length)) {
        return OPFORGE_OK;
    }
    return opforge_fail(call, OPFORGE_BAD_SHAPE, "data of length %lld with stride %lld gives an output length beyond 64 bits", (long long)in,
                        (long long)s->stride[axis]);
}

/* Compute the settings for a shape of data: with target_shape, the pad follows from it. As in MXNet, both sides
 * have the same pad, and an odd excess makes the output longer by one. */
static int32_t settle(opforge_call* call, const opforge_tensor* data, conv_settings* s, int64_t* adjust) {
    const deconv_settings* d = (const deconv_settings*)call->state;
    *s = d->of;
    memcpy(adjust, d->adjust, sizeof d->adjust);
    for (int axis = CONV_DIMS - s->dims; axis < CONV_DIMS && d->has_target; axis++) {
        int64_t in = data->shape[conv_space_axis(s, axis)], excess;
        adjust[axis] = s->pad[axis] = 0;
        if (in == 0) continue;
        int32_t status = full_length(call, s, axis, in, &excess);
        if (status) return status;
        excess -= d->target[axis];
        if (excess < 0) {
            return opforge_fail(call, OPFORGE_BAD_SHAPE, "target_shape is %lld, but data of length %lld give at most %lld",
                                (long long)d->target[axis], (long long)in, (long long)(excess + d->target[axis]));
        }
        adjust[axis] = excess % 2;
        s->pad[axis] = (excess + 1) / 2;
    }
    return check_adjust(call, s, adjust);
}

/* -- inference --------------------------------------------------------------------------------------------- */

static int32_t complete_length(opforge_call* call, const conv_settings* s, int axis, int64_t adjust) {
    const deconv_settings* d = (const deconv_settings*)call->state;
    int space = conv_space_axis(s, axis);
    int64_t *in = &call->arguments[0].shape[space], *out = &call->outputs[0].shape[space], length;
    if (*in == 0 && *out != 0 && *out < CONV_MAX_LENGTH && s->stride[axis] == 1 && !d->has_target) {
        int64_t found = *out + 2 * s->pad[axis] - conv_reach(s, axis) + 1;
        if (found > 0) *in = found;
    }
    if (*in == 0) return OPFORGE_OK;
    int32_t status = full_length(call, s, axis, *in, &length);
    if (status) return status;
    length += adjust - 2 * s->pad[axis];
    if (length < 1) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "data of length %lld with pad %lld give an output of length %lld; expected at least 1",
                            (long long)*in, (long long)s->pad[axis], (long long)length);
    }
    *out = length;
    return OPFORGE_OK;
}

static int32_t complete(opforge_call* call) {
    const opforge_tensor* data = &call->arguments[0];
    conv_settings s = ((const deconv_settings*)call->state)->of;
    int64_t adjust[CONV_DIMS];
    if (conv_is_about_types(call)) return conv_complete_types(call);
    if (data->ndim == -1) return OPFORGE_OK;
    int32_t status = conv_complete_channels(call, &s, 1, 1);
    if (!status) status = settle(call, data, &s, adjust);
    for (int axis = CONV_DIMS - s.dims; axis < CONV_DIMS && !status; axis++) {
        status = complete_length(call, &s, axis, adjust[axis]);
    }
    return status;
}

/* -- plan, forward, backward: data is that convolution's out ------------------------------------------------ */

static int32_t make_plan(opforge_call* call) {
    const opforge_tensor *data = &call->inputs[0], *out = &call->outputs[0];
    conv_settings s;
    int64_t adjust[CONV_DIMS];
    int32_t status = settle(call, data, &s, adjust);
    if (status) return status;
    return conv_plan_passes(call, &s, out, data, CONV_DATA, CONV_OUT);
}

static int32_t forward(opforge_call* call) {
    conv_arrays arrays = {.data = call->outputs[0].data, .weight = call->inputs[1].data, .out = call->inputs[0].data};
    if (call->n_inputs == 3) arrays.bias = call->inputs[2].data;
    return conv_run_pass(call, CONV_DATA, arrays);
}

static int32_t backward(opforge_call* call) {
    const conv_settings* s = &((const deconv_settings*)call->state)->of;
    conv_arrays arrays = {.data = call->out_grads[0].data, .weight = call->inputs[1].data, .out = call->in_grads[0].data};
    int32_t status = conv_run_pass(call, CONV_OUT, arrays);
    arrays.out = call->inputs[0].data;
    arrays.weight = call->in_grads[1].data;
    if (!status) status = conv_run_pass(call, CONV_WEIGHT, arrays);
    return status ? status : conv_bias_gradient(call, s);
}

const opforge_operator conv_deconvolution = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "Deconvolution",
    .create = create,
    .destroy = conv_destroy,
    .complete = complete,
    .plan = make_plan,
    .unplan = conv_unplan,
    .forward = forward,
    .backward = backward,
    .flags = OPFORGE_WANTED,
};
