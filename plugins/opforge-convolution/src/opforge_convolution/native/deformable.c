/* The operators _contrib_DeformableConvolution and _contrib_ModulatedDeformableConvolution. */
#include <opforge/float16.h>
#include <stdlib.h>

#include "channels.h"
#include "deformed.h"
#include "inference.h"
#include "operators.h"

/* -- settings ------------------------------------------------------------------------------------------------- */

static int32_t create(opforge_call* call) {
    deformed_settings* d = (deformed_settings*)malloc(sizeof *d);
    if (d == NULL) return OPFORGE_NO_MEMORY;
    /* Only the modulated operator has this attribute. */
    d->is_modulated = opforge_find(call, "im2col_step") != NULL;
    d->groups = opforge_find(call, "num_deformable_group")->integer;
    int32_t status = conv_read_settings(call, 2, 2, &d->of);
    if (status) free(d);
    else call->state = d;
    return status;
}

/* -- inference ------------------------------------------------------------------------------------------------ */

/* Complete the shape of an array with `each` numbers per position, element of the filter and deformable group. */
static int32_t complete_field(opforge_call* call, const char* name, opforge_tensor* field, int64_t each) {
    const deformed_settings* d = (const deformed_settings*)call->state;
    const opforge_tensor* out = &call->outputs[0];
    int64_t elements;
    int32_t status = conv_expect_ndim(call, name, field, 4);
    if (status) return status;
    if (__builtin_mul_overflow(conv_volume(d->of.kernel), each * d->groups, &elements)) {
        return opforge_fail(call, OPFORGE_BAD_ATTRIBUTE, "the kernel has more elements than 64 bits count");
    }
    conv_update_length(&field->shape[0], out->shape[0]);
    field->shape[1] = elements;
    conv_update_length(&field->shape[2], out->shape[2]);
    conv_update_length(&field->shape[3], out->shape[3]);
    return OPFORGE_OK;
}

static int32_t complete(opforge_call* call) {
    const deformed_settings* d = (const deformed_settings*)call->state;
    opforge_tensor *data = &call->arguments[0], *out = &call->outputs[0];
    if (conv_is_about_types(call)) return conv_complete_types(call);
    if (data->ndim == -1) return OPFORGE_OK;
    int32_t status = conv_complete_channels(call, &d->of, 2 + d->is_modulated, 0);
    for (int axis = 1; axis < CONV_DIMS && !status; axis++) {
        int64_t length;
        status = conv_length(call, &d->of, axis, data->shape[axis + 1], &length);
        if (!status) conv_update_length(&out->shape[axis + 1], length);
    }
    if (status) return status;
    if (data->shape[1] % d->groups != 0) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "data has %lld channels; expected a multiple of num_deformable_group, %lld",
                            (long long)data->shape[1], (long long)d->groups);
    }
    status = complete_field(call, "offset", &call->arguments[1], 2);
    if (status || !d->is_modulated) return status;
    return complete_field(call, "mask", &call->arguments[2], 1);
}

/* -- runs: 16-bit floats are computed in float32 ------------------------------------------------------------------------- */

static int32_t make_plan(opforge_call* call) {
    call->workspace_bytes = conv_deformed_bytes(call);
    return OPFORGE_OK;
}

static deformed_arrays arrays_of(const opforge_call* call, const opforge_tensor* tensors) {
    int is_modulated = ((const deformed_settings*)call->state)->is_modulated, at = 2 + is_modulated;
    return (deformed_arrays){
        .data = tensors[0].data,
        .offset = tensors[1].data,
        .mask = is_modulated ? tensors[2].data : NULL,
        .weight = tensors[at].data,
        .bias = at + 1 < call->n_inputs ? tensors[at + 1].data : NULL,
    };
}

static int32_t forward(opforge_call* call) {
    if (opforge_is_half(call->inputs[0].dtype)) return opforge_in_float32(call, forward);
    deformed_arrays arrays = arrays_of(call, call->inputs);
    arrays.out = call->outputs[0].data;
    return conv_deformed_forward(call, &arrays);
}

static int32_t backward(opforge_call* call) {
    if (opforge_is_half(call->inputs[0].dtype)) return opforge_in_float32(call, backward);
    const deformed_settings* d = (const deformed_settings*)call->state;
    deformed_arrays arrays = arrays_of(call, call->inputs), grads = arrays_of(call, call->in_grads);
    arrays.out = call->out_grads[0].data;
    int32_t status = conv_deformed_backward(call, &arrays, &grads);
    if (status || grads.bias == NULL) return status;
    return conv_sum_channels(call, &d->of, &call->out_grads[0], grads.bias);
}

#define OPERATOR(variable, registered)              \
    const opforge_operator variable = {             \
        .head = OPFORGE_HEAD(opforge_operator),     \
        .name = registered,                         \
        .create = create,                           \
        .destroy = conv_destroy,                    \
        .complete = complete,                       \
        .plan = make_plan,                          \
        .forward = forward,                         \
        .backward = backward,                       \
        .flags = OPFORGE_WANTED,                    \
    }

OPERATOR(conv_deformable, "_contrib_DeformableConvolution");
OPERATOR(conv_modulated_deformable, "_contrib_ModulatedDeformableConvolution");
