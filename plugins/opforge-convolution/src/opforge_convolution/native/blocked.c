#include "blocked.h"

#include "inference.h"

enum { NDIM = 5 };

static int32_t complete_types(opforge_call* call) {
    int32_t status = conv_complete_types(call), type = call->outputs[0].dtype;
    if (status || type == OPFORGE_FLOAT32) return status;
    return opforge_fail(call, OPFORGE_BAD_DTYPE, "blocked data is %s; expected float32",
                        opforge_dtype_name(type));
}

static int32_t check_filters(opforge_call* call, int64_t filters) {
    if (filters % conv_fast_lanes() == 0) return OPFORGE_OK;
    return opforge_fail(call, OPFORGE_BAD_SHAPE, "a group has %lld filters; expected a multiple of %lld",
                        (long long)filters, (long long)conv_fast_lanes());
}

/* Each channel is a group with one filter. */
static int32_t check_depthwise(opforge_call* call, const conv_settings* s, const int64_t* data) {
    if (s->groups == s->filters && s->groups % data[4] == 0 && s->groups / data[4] == data[1]) return OPFORGE_OK;
    return opforge_fail(call, OPFORGE_BAD_SHAPE,
                        "data has %lld blocks of %lld channels, num_group is %lld and num_filter %lld; expected both to be the "
                        "number of channels with blocked='depthwise'",
                        (long long)data[1], (long long)data[4], (long long)s->groups, (long long)s->filters);
}

/* Groups of channels must consist of complete blocks. */
static int32_t check_groups(opforge_call* call, const conv_settings* s, const int64_t* data) {
    int has_any_lanes = s->form == CONV_SUMS || s->form == CONV_TO_PLAIN;
    if (!has_any_lanes && data[4] != conv_fast_lanes()) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "data has %lld lanes; expected %lld with blocked='%s'", (long long)data[4],
                            (long long)conv_fast_lanes(), conv_form_name(s->form));
    }
    if (s->form == CONV_DEPTHWISE) return check_depthwise(call, s, data);
    if (data[1] % s->groups != 0) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "data has %lld blocks of channels; expected a multiple of num_group, %lld",
                            (long long)data[1], (long long)s->groups);
    }
    if (s->form != CONV_TO_PLAIN) return check_filters(call, s->filters / s->groups);
    if (s->groups == 1) return OPFORGE_OK;
    return opforge_fail(call, OPFORGE_BAD_SHAPE, "num_group is %lld; expected 1 with blocked='sums_to_plain'",
                        (long long)s->groups);
}

static int32_t complete_weight(opforge_call* call, const conv_settings* s, const int64_t* data) {
    int64_t lanes = conv_fast_lanes(), vectors = (s->filters + lanes - 1) / lanes, blocks = data[1] / s->groups;
    const int64_t sums[] = {vectors, blocks, s->kernel[1], s->kernel[2], data[4], lanes};
    const int64_t transformed[] = {vectors, CONV_POINTS, blocks * lanes, lanes};
    const int64_t depthwise[] = {vectors, 1, s->kernel[1], s->kernel[2], lanes};
    const int64_t* shapes[] = {
        [CONV_SUMS] = sums, [CONV_TO_PLAIN] = sums, [CONV_WINOGRAD] = transformed, [CONV_DEPTHWISE] = depthwise,
    };
    const int32_t ndims[] = {[CONV_SUMS] = 6, [CONV_TO_PLAIN] = 6, [CONV_WINOGRAD] = 4, [CONV_DEPTHWISE] = 5};
    const int64_t* shape = shapes[s->form];
    opforge_tensor* weight = &call->arguments[1];
    int32_t ndim = ndims[s->form], status = conv_expect_ndim(call, "blocked weight", weight, ndim);
    for (int axis = 0; axis < ndim && !status; axis++) weight->shape[axis] = shape[axis];
    return status;
}

int32_t conv_complete_blocked(opforge_call* call, const conv_settings* s) {
    opforge_tensor *data = &call->arguments[0], *out = &call->outputs[0];
    if (conv_is_about_types(call)) return complete_types(call);
    if (data->ndim == -1) return OPFORGE_OK;
    int32_t status = conv_expect_ndim(call, "blocked data", data, NDIM);
    int is_plain = s->form == CONV_TO_PLAIN;
    if (!status) status = conv_expect_ndim(call, is_plain ? "output" : "blocked output", out, is_plain ? NDIM - 1 : NDIM);
    if (!status && call->n_inputs == 3) status = conv_expect_ndim(call, "bias", &call->arguments[2], 1);
    if (!status) status = check_groups(call, s, data->shape);
    if (!status) status = complete_weight(call, s, data->shape);
    if (status) return status;
    if (call->n_inputs == 3) call->arguments[2].shape[0] = s->filters;
    out->shape[0] = data->shape[0];
    out->shape[1] = is_plain ? s->filters : s->filters / conv_fast_lanes();
    if (!is_plain) out->shape[4] = conv_fast_lanes();
    for (int axis = 1; axis < CONV_DIMS && !status; axis++) {
        status = conv_length(call, s, axis, data->shape[1 + axis], &out->shape[1 + axis]);
    }
    return status;
}
