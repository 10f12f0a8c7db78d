/* The operator _winograd_weight: transform 3x3 filters for Winograd's convolution on blocks, with a vector of
 * filters innermost. */
#include "conv.h"
#include "inference.h"
#include "operators.h"

enum { TAPS = 3 };

static int32_t complete(opforge_call* call) {
    opforge_tensor *weight = &call->arguments[0], *out = &call->outputs[0];
    int64_t lanes = conv_fast_lanes();
    if (conv_is_about_types(call)) return conv_complete_types(call);
    if (weight->ndim == -1) return OPFORGE_OK;
    int32_t status = conv_expect_ndim(call, "weight", weight, 4);
    if (!status) status = conv_expect_ndim(call, "output", out, 4);
    if (status) return status;
    if (weight->shape[0] % lanes != 0) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "weight has %lld filters; expected a multiple of %lld",
                            (long long)weight->shape[0], (long long)lanes);
    }
    for (int axis = 2; axis < 4; axis++) {
        if (weight->shape[axis] == TAPS || weight->shape[axis] == 0) continue;
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "filters have a length of %lld; expected %d",
                            (long long)weight->shape[axis], TAPS);
    }
    const int64_t shape[] = {weight->shape[0] / lanes, CONV_POINTS, weight->shape[1], lanes};
    weight->shape[2] = weight->shape[3] = TAPS;
    for (int axis = 0; axis < 4; axis++) out->shape[axis] = shape[axis];
    return OPFORGE_OK;
}

static int32_t forward(opforge_call* call) {
    const opforge_tensor* weight = &call->inputs[0];
    conv_fast_transform(call, weight->dtype, weight->shape[0], weight->shape[1], weight->data, call->outputs[0].data);
    return OPFORGE_OK;
}

const opforge_operator conv_winograd_weight = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "_winograd_weight",
    .complete = complete,
    .forward = forward,
};
