/* quantized_batch_norm: a factor and a shift for each channel. */
#include "native/operators.h"
#include "native/ranges.h"
#include "kernels/rounding.h"

enum { GAMMA = 1, BETA, RANGE }; /* inputs */

typedef struct channels {
    const opforge_tensor* data;
    int8_t* out;
    const float *factor, *shift;
    int64_t count, inner;
} channels;

static void run_rows(void* argument, int64_t begin, int64_t end) {
    const channels* c = (const channels*)argument;
    for (int64_t row = begin; row < end; row++) {
        float factor = c->factor[row % c->count], shift = c->shift[row % c->count];
        int8_t* y = c->out + row * c->inner;
        int64_t inner = c->inner; /* a copy, which stores of bytes cannot change */
        if (c->data->dtype == OPFORGE_INT8) {
            const int8_t* x = (const int8_t*)c->data->data + row * c->inner;
            for (int64_t i = 0; i < inner; i++) y[i] = to_int8((float)x[i] * factor + shift);
        } else { /* converted to int8 first, as in MXNet */
            const uint8_t* x = (const uint8_t*)c->data->data + row * c->inner;
            const float half = 127.5f / 255.5f;
            for (int64_t i = 0; i < inner; i++) y[i] = to_int8((float)to_int8((float)x[i] * half) * factor + shift);
        }
    }
}

static int32_t normalize(opforge_call* call) {
    const opforge_tensor* data = &call->inputs[0];
    const opforge_attribute *eps = opforge_find(call, "eps"), *fixed = opforge_find(call, "fix_gamma");
    const float *gamma = (const float*)call->inputs[GAMMA].data, *beta = (const float*)call->inputs[BETA].data;
    const float *mean = (const float*)call->states[0].data, *variance = (const float*)call->states[1].data;
    int64_t axis = opforge_find(call, "axis")->integer, n = opforge_count(&call->inputs[GAMMA]);
    float low, high;
    if (!find_calibrated(call, &low, &high)) {
        return opforge_fail(call, OPFORGE_BAD_ATTRIBUTE,
                            "min_calib_range and max_calib_range are missing; calibrate the network, or exclude the operator");
    }
    float* factor = (float*)call->host->scratch(call, 2 * n * (int64_t)sizeof *factor);
    if (factor == NULL) return OPFORGE_NO_MEMORY;
    float *shift = factor + n, in_range = range_at(call, RANGE), out_range = magnitude_of(low, high);
    for (int64_t i = 0; i < n; i++) {
        float scale = (float)(1.0 / sqrt((double)(variance[i] + (float)eps->number))) * (fixed->integer ? 1.0f : gamma[i]);
        /* oneDNN adds eps again, to a variance of 1. */
        factor[i] = scale * in_range / out_range / sqrtf(1.0f + (float)eps->number);
        shift[i] = (beta[i] - mean[i] * scale) * finer_limit(OPFORGE_INT8) / out_range;
    }
    channels c = {data, (int8_t*)call->outputs[0].data, factor, shift, n, 1};
    for (int64_t at = (axis < 0 ? axis + data->ndim : axis) + 1; at < data->ndim; at++) c.inner *= data->shape[at];
    set_range(call, low, high);
    if (data->byte_size == 0) return OPFORGE_OK;
    call->host->parallel_for(call, opforge_count(data) / c.inner, 1 + GRAIN / c.inner, run_rows, &c);
    return OPFORGE_OK;
}

const opforge_operator batch_norm_operator = OPERATOR("_contrib_quantized_batch_norm", normalize);
