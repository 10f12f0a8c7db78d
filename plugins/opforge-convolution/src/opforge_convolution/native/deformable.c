/* The operators _contrib_DeformableConvolution and _contrib_ModulatedDeformableConvolution. */
#include <stdlib.h>

#include "channels.h"
#include "deformed.h"
#include "inference.h"
#include "operators.h"

/* -- settings ------------------------------------------------------------------------------------------------- */

static int32_t create(opforge_call* call) {
    deformed_settings* d = (deformed_settings*)malloc(sizeof *d);
    if (d == NULL) return OPFORGE_NO_MEMORY;
    /* Only one of the two has it. */
    d->is_modulated = opforge_find(call, "im2col_step") != NULL;
    d->groups = opforge_find(call, "num_deformable_group")->integer;
    int32_t status = conv_read_settings(call, 2, 2, &d->of);
    if (status) free(d);
    else call->state = d;
    return status;
}

/* -- inference ------------------------------------------------------------------------------------------------ */

/* An array of `each` numbers for each place, element of the filter and group that moves. */
static int32_t complete_field(opforge_call* call, const char* name, opforge_tensor* field, int64_t each) {
    const deformed_settings* d = (const deformed_settings*)call->state;
    const opforge_tensor* out = &call->outputs[0];
    int64_t elements;
    int32_t status = conv_expect_ndim(call, name, field, 4);
    if (status) return status;
    if (__builtin_mul_overflow(conv_volume(d->of.kernel), each * d->groups, &elements)) {
        return opforge_fail(call, OPFORGE_BAD_ATTRIBUTE, "the kernel has more elements than 64 bits count");
    }
    conv_note(&field->shape[0], out->shape[0]);
    field->shape[1] = elements;
    conv_note(&field->shape[2], out->shape[2]);
    conv_note(&field->shape[3], out->shape[3]);
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
        if (!status) conv_note(&out->shape[axis + 1], length);
    }
    if (status) return status;
    if (data->shape[1] % d->groups != 0) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "data has %lld channels, expected a multiple of num_deformable_group, %lld",
                            (long long)data->shape[1], (long long)d->groups);
    }
    status = complete_field(call, "offset", &call->arguments[1], 2);
    if (status || !d->is_modulated) return status;
    return complete_field(call, "mask", &call->arguments[2], 1);
}

/* -- arrays: those of float16 are computed in float32, from copies in the workspace ---------------------------- */

static int64_t copy_bytes(const opforge_tensor* tensors, int32_t count) {
    int64_t total = 0;
    for (int32_t i = 0; i < count; i++) {
        if (tensors[i].dtype == OPFORGE_FLOAT16) total += (2 * tensors[i].byte_size + 63) / 64 * 64;
    }
    return total;
}

static int32_t make_plan(opforge_call* call) {
    call->workspace_bytes = copy_bytes(call->inputs, call->n_inputs) + copy_bytes(call->outputs, 1);
    if (call->stage == OPFORGE_BACKWARD) call->workspace_bytes *= 2;
    return OPFORGE_OK;
}

/* The next array, or room for a copy of it in float32, which is made if there is anything to read. */
static void* open_array(opforge_call* call, const opforge_tensor* tensor, int reads, char** room) {
    if (tensor->dtype != OPFORGE_FLOAT16 || tensor->data == NULL) return tensor->data;
    char* copy = *room;
    *room += copy_bytes(tensor, 1);
    if (reads) call->host->convert(call, OPFORGE_FLOAT16, tensor->data, OPFORGE_FLOAT32, copy, tensor->byte_size / 2);
    return copy;
}

static void close_array(opforge_call* call, const opforge_tensor* tensor, const void* copy) {
    if (tensor->dtype != OPFORGE_FLOAT16 || tensor->data == NULL) return;
    call->host->convert(call, OPFORGE_FLOAT32, copy, OPFORGE_FLOAT16, tensor->data, tensor->byte_size / 2);
}

static void open_arrays(opforge_call* call, opforge_tensor* tensors, int reads, char** room, deformed_arrays* arrays) {
    int is_modulated = ((const deformed_settings*)call->state)->is_modulated, at = 0;
    arrays->data = open_array(call, &tensors[at++], reads, room);
    arrays->offset = open_array(call, &tensors[at++], reads, room);
    arrays->mask = is_modulated ? open_array(call, &tensors[at++], reads, room) : NULL;
    arrays->weight = open_array(call, &tensors[at++], reads, room);
    arrays->bias = at < call->n_inputs && reads ? open_array(call, &tensors[at], reads, room) : NULL;
}

static int32_t forward(opforge_call* call) {
    char* room = (char*)call->workspace;
    deformed_arrays arrays;
    open_arrays(call, (opforge_tensor*)call->inputs, 1, &room, &arrays);
    arrays.out = open_array(call, &call->outputs[0], 0, &room);
    int32_t status = conv_deformed_forward(call, &arrays);
    if (!status) close_array(call, &call->outputs[0], arrays.out);
    return status;
}

static int32_t backward(opforge_call* call) {
    const deformed_settings* d = (const deformed_settings*)call->state;
    char* room = (char*)call->workspace;
    deformed_arrays arrays, grads;
    open_arrays(call, (opforge_tensor*)call->inputs, 1, &room, &arrays);
    arrays.out = open_array(call, &call->out_grads[0], 1, &room);
    open_arrays(call, call->in_grads, 0, &room, &grads);
    int32_t status = conv_deformed_backward(call, &arrays, &grads), at = 0;
    if (status) return status;
    close_array(call, &call->in_grads[at++], grads.data);
    close_array(call, &call->in_grads[at++], grads.offset);
    if (d->is_modulated) close_array(call, &call->in_grads[at++], grads.mask);
    close_array(call, &call->in_grads[at++], grads.weight);
    if (at == call->n_inputs || !call->wanted[at]) return OPFORGE_OK;
    return conv_sum_channels(call, &d->of, &call->out_grads[0], call->in_grads[at].data);
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
