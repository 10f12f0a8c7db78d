#include "blocked.h"

#include <opforge/brain.h>

#include "inference.h"

enum { NDIM = 5 };

static int32_t complete_types(opforge_call* call, conv_form form) {
    int32_t status = conv_complete_types(call), type = call->outputs[0].dtype;
    const int has_float = !conv_is_of_pairs(form), has_brain = form != CONV_WINOGRAD && opforge_has_brain_products();
    if (status || (type == OPFORGE_FLOAT32 && has_float) || (type == OPFORGE_BFLOAT16 && has_brain)) return status;
    return opforge_fail(call, OPFORGE_BAD_DTYPE, "blocked data is %s; expected %s with blocked='%s'", opforge_dtype_name(type),
                        has_float ? "float32" : "bfloat16, and a processor that multiplies it,", conv_form_name(form));
}

static int32_t check_filters(opforge_call* call, int64_t filters, int64_t lanes) {
    if (filters % lanes == 0) return OPFORGE_OK;
    return opforge_fail(call, OPFORGE_BAD_SHAPE, "a group has %lld filters; expected a multiple of %lld",
                        (long long)filters, (long long)lanes);
}

/* Channels per block of the results; 0: plain results. */
static int64_t lanes_of_results(const conv_settings* s) {
    switch (conv_without_pairs(s->form)) {
    case CONV_TO_PLAIN: return 0;
    case CONV_TO_HALVES: return conv_fast_lanes() / 2;
    default: return conv_fast_lanes();
    }
}

/* Each channel is a group with one filter. */
static int32_t check_depthwise(opforge_call* call, const conv_settings* s, const int64_t* data) {
    if (s->groups == s->filters && s->groups % data[4] == 0 && s->groups / data[4] == data[1]) return OPFORGE_OK;
    return opforge_fail(call, OPFORGE_BAD_SHAPE,
                        "data has %lld blocks of %lld channels, num_group is %lld and num_filter %lld; expected both to be the "
                        "number of channels with blocked='depthwise'",
                        (long long)data[1], (long long)data[4], (long long)s->groups, (long long)s->filters);
}

/* Whether blocks of data may have any number of channels. */
static int has_any_lanes(const conv_settings* s) {
    return s->form != CONV_WINOGRAD && s->form != CONV_DEPTHWISE;
}

/* Groups of channels must consist of complete blocks. */
static int32_t check_groups(opforge_call* call, const conv_settings* s, const int64_t* data, int64_t lanes) {
    const conv_form form = conv_without_pairs(s->form);
    int has_one_group = form == CONV_TO_PLAIN || form == CONV_TO_HALVES;
    if (!has_any_lanes(s) && lanes != conv_fast_lanes()) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "data has %lld lanes; expected %lld with blocked='%s'", (long long)lanes,
                            (long long)conv_fast_lanes(), conv_form_name(s->form));
    }
    if (s->form == CONV_DEPTHWISE) return check_depthwise(call, s, data);
    if (conv_is_of_pairs(s->form) && lanes % 2 != 0) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "data has %lld lanes; expected an even number with blocked='%s'",
                            (long long)lanes, conv_form_name(s->form));
    }
    if (data[1] % s->groups != 0) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "data has %lld blocks of channels; expected a multiple of num_group, %lld",
                            (long long)data[1], (long long)s->groups);
    }
    if (has_one_group && s->groups != 1) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "num_group is %lld; expected 1 with blocked='%s'", (long long)s->groups,
                            conv_form_name(s->form));
    }
    return form == CONV_TO_PLAIN ? OPFORGE_OK : check_filters(call, s->filters / s->groups, lanes_of_results(s));
}

static int32_t complete_weight(opforge_call* call, const conv_settings* s, const opforge_tensor* data) {
    int64_t lanes = conv_fast_lanes(), vectors = (s->filters + lanes - 1) / lanes, blocks = data->shape[1] / s->groups;
    const int64_t channels = conv_lanes_of_data(data);
    const int64_t sums[] = {vectors, blocks, s->kernel[1], s->kernel[2], channels, lanes};
    const int64_t pairs[] = {vectors, blocks, s->kernel[1], s->kernel[2], channels / 2, lanes, 2};
    const int64_t transformed[] = {vectors, CONV_POINTS, blocks * lanes, lanes};
    const int64_t depthwise[] = {vectors, 1, s->kernel[1], s->kernel[2], lanes};
    const int64_t* shapes[] = {
        [CONV_SUMS] = sums, [CONV_TO_PLAIN] = sums, [CONV_TO_HALVES] = sums,
        [CONV_PAIRS] = pairs, [CONV_PAIRS_TO_PLAIN] = pairs, [CONV_PAIRS_TO_HALVES] = pairs,
        [CONV_WINOGRAD] = transformed, [CONV_DEPTHWISE] = depthwise,
    };
    const int64_t* shape = shapes[s->form];
    opforge_tensor* weight = &call->arguments[1];
    int32_t ndim = shape == pairs ? 7 : shape == sums ? 6 : shape == depthwise ? 5 : 4, status = conv_expect_ndim(call, "blocked weight", weight, ndim);
    for (int axis = 0; axis < ndim && !status; axis++) weight->shape[axis] = shape[axis];
    return status;
}

int32_t conv_complete_blocked(opforge_call* call, const conv_settings* s) {
    opforge_tensor *data = &call->arguments[0], *out = &call->outputs[0];
    if (conv_is_about_types(call)) return complete_types(call, s->form);
    if (data->ndim == -1) return OPFORGE_OK;
    int32_t status = data->ndim == NDIM - 1 && has_any_lanes(s) ? OPFORGE_OK : conv_expect_ndim(call, "blocked data", data, NDIM);
    int64_t lanes = lanes_of_results(s);
    if (!status) status = conv_expect_ndim(call, lanes ? "blocked output" : "output", out, lanes ? NDIM : NDIM - 1);
    if (!status && call->n_inputs == 3) status = conv_expect_ndim(call, "bias", &call->arguments[2], 1);
    if (!status) status = check_groups(call, s, data->shape, conv_lanes_of_data(data));
    if (!status) status = complete_weight(call, s, data);
    if (status) return status;
    if (call->n_inputs == 3) call->arguments[2].shape[0] = s->filters;
    out->shape[0] = data->shape[0];
    out->shape[1] = lanes ? s->filters / lanes : s->filters;
    if (lanes) out->shape[4] = lanes;
    for (int axis = 1; axis < CONV_DIMS && !status; axis++) {
        status = conv_length(call, s, axis, data->shape[1 + axis], &out->shape[1 + axis]);
    }
    return status;
}
