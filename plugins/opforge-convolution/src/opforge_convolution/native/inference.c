#include "inference.h"

/* Beyond this, positions with pads and steps of 31 bits would not fit 64. */
static const int64_t MOST_LENGTH = (int64_t)1 << 60;

int conv_is_about_types(const opforge_call* call) {
    for (int32_t i = 0; i < call->n_inputs; i++) {
        if (call->inputs[i].dtype != OPFORGE_UNKNOWN) return 1;
    }
    return call->outputs[0].dtype != OPFORGE_UNKNOWN;
}

int32_t conv_complete_types(opforge_call* call) {
    int32_t type = call->outputs[0].dtype;
    for (int32_t i = call->n_inputs - 1; i >= 0; i--) {
        if (call->inputs[i].dtype != OPFORGE_UNKNOWN) type = call->inputs[i].dtype;
    }
    if (type != OPFORGE_FLOAT32 && type != OPFORGE_FLOAT64 && type != OPFORGE_FLOAT16) {
        return opforge_fail(call, OPFORGE_BAD_DTYPE, "data is of type %d, expected float32, float64 or float16", type);
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
    return opforge_fail(call, OPFORGE_BAD_SHAPE, "%s has %d dimensions, expected %d", name, tensor->ndim, ndim);
}

int32_t conv_check_channels(opforge_call* call, int64_t channels, int64_t groups) {
    if (channels % groups == 0) return OPFORGE_OK;
    return opforge_fail(call, OPFORGE_BAD_SHAPE, "data has %lld channels, expected a multiple of num_group, %lld",
                        (long long)channels, (long long)groups);
}

int32_t conv_length(opforge_call* call, const conv_settings* s, int axis, int64_t in, int64_t* out) {
    int64_t reach = conv_reach(s, axis), pad = s->pad[axis];
    *out = 0;
    if (in == 0) return OPFORGE_OK;
    if (in > MOST_LENGTH || in + 2 * pad < reach) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE,
                            "a kernel of %lld with dilate %lld reaches over %lld elements and does not fit data of %lld with pad %lld",
                            (long long)s->kernel[axis], (long long)s->dilate[axis], (long long)reach, (long long)in,
                            (long long)pad);
    }
    *out = (in + 2 * pad - reach) / s->stride[axis] + 1;
    return OPFORGE_OK;
}
