#include "settings.h"

#include <stdlib.h>
#include <string.h>

/* Sums and products of two such numbers fit 64 bits. */
static int32_t check_size(opforge_call* call, const char* name, int64_t value) {
    if (value <= INT32_MAX) return OPFORGE_OK;
    return opforge_fail(call, OPFORGE_BAD_ATTRIBUTE, "%s has %lld; expected at most %d", name, (long long)value, INT32_MAX);
}

int32_t conv_read_lengths(opforge_call* call, const char* name, int32_t dims, int64_t other, int64_t* lengths) {
    const opforge_attribute* given = opforge_find(call, name);
    for (int axis = 0; axis < CONV_DIMS; axis++) lengths[axis] = other;
    if (given == NULL || given->size == 0) return OPFORGE_OK;
    if (given->size != dims) {
        return opforge_fail(call, OPFORGE_BAD_ATTRIBUTE, "%s has %lld numbers and kernel %d; pass one for each dimension",
                            name, (long long)given->size, dims);
    }
    for (int axis = 0; axis < dims; axis++) {
        int32_t status = check_size(call, name, given->integers[axis]);
        if (status) return status;
        lengths[CONV_DIMS - dims + axis] = given->integers[axis];
    }
    return OPFORGE_OK;
}

/* A layout has one letter per dimension, with C last or after N. */
static int32_t read_layout(opforge_call* call, conv_settings* s) {
    const opforge_attribute* layout = opforge_find(call, "layout");
    s->channels_last = 0;
    if (layout == NULL || layout->kind == OPFORGE_NONE) return OPFORGE_OK;
    if (layout->size != s->dims + 2) {
        return opforge_fail(call, OPFORGE_BAD_ATTRIBUTE, "layout is %s, which has %lld dimensions of space, and kernel has %d",
                            layout->text, (long long)layout->size - 2, s->dims);
    }
    s->channels_last = layout->text[layout->size - 1] == 'C';
    return OPFORGE_OK;
}

static int32_t read_groups(opforge_call* call, conv_settings* s) {
    const opforge_attribute *filters = opforge_find(call, "num_filter"), *groups = opforge_find(call, "num_group");
    s->filters = filters == NULL ? 0 : filters->integer;
    s->groups = groups == NULL ? 1 : groups->integer;
    int32_t status = check_size(call, "num_filter", s->filters);
    if (!status) status = check_size(call, "num_group", s->groups);
    if (status) return status;
    if (s->filters % s->groups == 0) return OPFORGE_OK;
    return opforge_fail(call, OPFORGE_BAD_ATTRIBUTE, "num_filter is %lld; expected a multiple of num_group, %lld",
                        (long long)s->filters, (long long)s->groups);
}

static const char* const FORMS[] = {
    [CONV_SUMS] = "sums", [CONV_TO_PLAIN] = "sums_to_plain", [CONV_TO_HALVES] = "sums_to_halves",
    [CONV_PAIRS] = "pairs", [CONV_PAIRS_TO_PLAIN] = "pairs_to_plain", [CONV_PAIRS_TO_HALVES] = "pairs_to_halves",
    [CONV_WINOGRAD] = "winograd", [CONV_DEPTHWISE] = "depthwise",
};

const char* conv_form_name(conv_form form) { return FORMS[form]; }

/* Only Convolution has this attribute. */
static int32_t read_blocked(opforge_call* call, conv_settings* s) {
    const opforge_attribute* blocked = opforge_find(call, "blocked");
    s->form = CONV_PLAIN;
    if (blocked == NULL || blocked->kind != OPFORGE_TEXT) return OPFORGE_OK;
    for (conv_form form = CONV_SUMS; form <= CONV_DEPTHWISE; form++) {
        if (strcmp(blocked->text, FORMS[form]) == 0) s->form = form;
    }
    if (s->dims != 2 || s->channels_last) {
        return opforge_fail(call, OPFORGE_BAD_ATTRIBUTE, "blocked is '%s' with %d spatial dimensions%s; expected 2, channels first",
                            blocked->text, s->dims, s->channels_last ? ", channels last" : "");
    }
    for (int axis = 1; axis < CONV_DIMS && s->form == CONV_WINOGRAD; axis++) {
        if (s->kernel[axis] != 3 || s->stride[axis] != 1 || s->dilate[axis] != 1) {
            return opforge_fail(call, OPFORGE_BAD_ATTRIBUTE,
                                "blocked is 'winograd'; expected a kernel of (3, 3) with stride and dilate 1");
        }
    }
    return OPFORGE_OK;
}

int32_t conv_read_settings(opforge_call* call, int32_t least, int32_t most, conv_settings* s) {
    int64_t dims = opforge_find(call, "kernel")->size;
    if (dims < least || dims > most) {
        return opforge_fail(call, OPFORGE_BAD_ATTRIBUTE, "kernel has %lld numbers; expected %s", (long long)dims,
                            least == 2 ? "2: (h, w)" : "1 to 3: (w,), (h, w) or (d, h, w)");
    }
    s->dims = (int32_t)dims;
    int32_t status = conv_read_lengths(call, "kernel", s->dims, 1, s->kernel);
    int64_t taps;
    if (!status && __builtin_mul_overflow(s->kernel[0] * s->kernel[1], s->kernel[2], &taps)) {
        status = opforge_fail(call, OPFORGE_BAD_ATTRIBUTE, "kernel has more elements than 64 bits count");
    }
    if (!status) status = conv_read_lengths(call, "stride", s->dims, 1, s->stride);
    if (!status) status = conv_read_lengths(call, "dilate", s->dims, 1, s->dilate);
    if (!status) status = conv_read_lengths(call, "pad", s->dims, 0, s->pad);
    if (!status) status = read_layout(call, s);
    if (!status) status = read_groups(call, s);
    if (!status) status = read_blocked(call, s);
    return status;
}

int32_t conv_create(opforge_call* call) {
    conv_settings* s = (conv_settings*)malloc(sizeof *s);
    if (s == NULL) return OPFORGE_NO_MEMORY;
    int32_t status = conv_read_settings(call, 1, CONV_DIMS, s);
    if (status) free(s);
    else call->state = s;
    return status;
}

int32_t conv_destroy(opforge_call* call) {
    free(call->state);
    return OPFORGE_OK;
}

conv_shape conv_shape_of(const conv_settings* s, const opforge_tensor* data, const opforge_tensor* out) {
    conv_shape shape = {.dtype = data->dtype, .n = data->shape[0], .groups = s->groups};
    int is_blocked = s->form != CONV_PLAIN;
    shape.lanes = is_blocked ? conv_lanes_of_data(data) : 0;
    shape.form = s->form;
    shape.in_channels = data->shape[conv_channel_axis(s)] * (is_blocked ? shape.lanes : 1) / s->groups;
    shape.out_channels = out->shape[conv_channel_axis(s)] * (out->ndim == 5 && is_blocked ? out->shape[4] : 1) / s->groups;
    for (int axis = 0; axis < CONV_DIMS; axis++) {
        int space = conv_space_axis(s, axis);
        shape.in[axis] = space < 0 ? 1 : data->shape[space];
        shape.out[axis] = space < 0 ? 1 : out->shape[space];
        shape.kernel[axis] = s->kernel[axis];
        shape.stride[axis] = s->stride[axis];
        shape.dilate[axis] = s->dilate[axis];
        shape.pad[axis] = s->pad[axis];
    }
    return shape;
}
