#include "inference.h"

int conv_is_about_types(const opforge_call* call) {
    for (int32_t i = 0; i < call->n_inputs; i++) {
        if (call->inputs[i].dtype != OPFORGE_UNKNOWN) return 1;
    }
    return call->outputs[0].dtype != OPFORGE_UNKNOWN;
}

int32_t conv_complete_types(opforge_call* call) {
    opforge_dtype type = call->outputs[0].dtype;
    for (int32_t i = call->n_inputs - 1; i >= 0; i--) {
        if (call->inputs[i].dtype != OPFORGE_UNKNOWN) type = call->inputs[i].dtype;
    }
    for (int32_t i = 0; i < call->n_inputs; i++) call->arguments[i].dtype = type;
    for (int32_t i = 0; i < call->n_outputs; i++) call->outputs[i].dtype = type;
    return OPFORGE_OK;
}

int32_t conv_expect_ndim(opforge_call* call, const char* name, opforge_tensor* tensor, int32_t ndim) {
    if (tensor->ndim == -1) {
        tensor->ndim = ndim;
        for (int32_t axis = 0; axis < ndim; axis++) tensor->shape[axis] = 0;
    }
    if (tensor->ndim == ndim) return OPFORGE_OK;
    return opforge_fail(call, OPFORGE_BAD_SHAPE, "%s has %d dimensions; expected %d", name, tensor->ndim, ndim);
}

/* Complete the weight and the channels from each other; its spatial lengths are those of the kernel. */
static void complete_weight(const conv_settings* s, opforge_tensor* data, opforge_tensor* weight, int transposed) {
    int channel = conv_channel_axis(s);
    int64_t* channels = &data->shape[channel];
    if (transposed) {
        if (*channels == 0) *channels = weight->shape[0];
        conv_update_length(&weight->shape[0], *channels);
        weight->shape[channel] = s->filters / s->groups;
    } else {
        int64_t found;
        if (*channels == 0 && !__builtin_mul_overflow(weight->shape[channel], s->groups, &found)) *channels = found;
        weight->shape[0] = s->filters;
        conv_update_length(&weight->shape[channel], *channels / s->groups);
    }
    for (int axis = CONV_DIMS - s->dims; axis < CONV_DIMS; axis++) {
        weight->shape[conv_space_axis(s, axis)] = s->kernel[axis];
    }
}

int32_t conv_complete_channels(opforge_call* call, const conv_settings* s, int weight_at, int transposed) {
    opforge_tensor *data = &call->arguments[0], *weight = &call->arguments[weight_at], *out = &call->outputs[0];
    opforge_tensor* bias = weight_at + 1 < call->n_inputs ? weight + 1 : NULL;
    int channel = conv_channel_axis(s);
    int32_t status = conv_expect_ndim(call, "data", data, s->dims + 2);
    if (!status) status = conv_expect_ndim(call, "weight", weight, s->dims + 2);
    if (!status) status = conv_expect_ndim(call, "output", out, s->dims + 2);
    if (!status && bias != NULL) status = conv_expect_ndim(call, "bias", bias, 1);
    if (status) return status;
    if (data->shape[channel] % s->groups != 0) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "data has %lld channels; expected a multiple of num_group, %lld",
                            (long long)data->shape[channel], (long long)s->groups);
    }
    complete_weight(s, data, weight, transposed);
    if (bias != NULL) bias->shape[0] = s->filters;
    out->shape[channel] = s->filters;
    conv_update_length(&out->shape[0], data->shape[0]);
    conv_update_length(&data->shape[0], out->shape[0]);
    return OPFORGE_OK;
}

int32_t conv_length(opforge_call* call, const conv_settings* s, int axis, int64_t in, int64_t* out) {
    int64_t reach = conv_reach(s, axis), pad = s->pad[axis];
    *out = 0;
    if (in == 0) return OPFORGE_OK;
    if (in > CONV_MAX_LENGTH || in + 2 * pad < reach) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE,
                            "a kernel of %lld with dilate %lld reaches over %lld elements and does not fit data of %lld with pad %lld; "
                            "pass a smaller kernel or more pad",
                            (long long)s->kernel[axis], (long long)s->dilate[axis], (long long)reach, (long long)in,
                            (long long)pad);
    }
    *out = (in + 2 * pad - reach) / s->stride[axis] + 1;
    return OPFORGE_OK;
}
