/* quantize, quantize_v2 and quantize_asym: from float32 to int8 and uint8. */
#include "native/extremes.h"
#include "native/operators.h"
#include "native/ranges.h"
#include "kernels/rounding.h"

/* y = round(x * scale + shift) */
typedef struct affine {
    const float* x;
    void* y;
    float scale, shift;
} affine;

static void fill_int8(void* argument, int64_t begin, int64_t end) {
    const affine a = *(const affine*)argument; /* a copy, which stores of bytes cannot change */
    int8_t* y = (int8_t*)a.y;
    for (int64_t i = begin; i < end; i++) y[i] = to_int8(a.x[i] * a.scale);
}

static void fill_uint8(void* argument, int64_t begin, int64_t end) {
    const affine a = *(const affine*)argument;
    uint8_t* y = (uint8_t*)a.y;
    for (int64_t i = begin; i < end; i++) y[i] = to_uint8(a.x[i] * a.scale + a.shift);
}

static void fill(opforge_call* call, float scale, float shift) {
    const opforge_tensor* out = &call->outputs[0];
    affine a = {(const float*)call->inputs[0].data, out->data, scale, shift};
    call->host->parallel_for(call, opforge_count(out), GRAIN, out->dtype == OPFORGE_INT8 ? fill_int8 : fill_uint8, &a);
}

/* The range of int8 is symmetric, that of uint8 stays. */
static void set_quantized_range(opforge_call* call, float low, float high) {
    float magnitude = magnitude_of(low, high);
    if (call->outputs[0].dtype == OPFORGE_INT8) set_range(call, -magnitude, magnitude);
    else set_range(call, low, high);
}

static int32_t quantize(opforge_call* call) {
    float low = number_of(&call->inputs[1]), high = number_of(&call->inputs[2]);
    fill(call, whole_limit(call->outputs[0].dtype) / magnitude_of(low, high), 0);
    set_quantized_range(call, low, high);
    return OPFORGE_OK;
}

/* Copy data that is quantized already; its range is that of its type, unless it was calibrated. */
static int32_t pass_on(opforge_call* call, float low, float high) {
    const opforge_tensor* data = &call->inputs[0];
    if (data->byte_size > 0) memcpy(call->outputs[0].data, data->data, (size_t)data->byte_size);
    set_range(call, low, high);
    return OPFORGE_OK;
}

static int32_t quantize_v2(opforge_call* call) {
    const opforge_tensor* data = &call->inputs[0];
    float low, high, limit = finer_limit(call->outputs[0].dtype);
    int is_calibrated = find_calibrated(call, &low, &high);
    if (data->dtype != OPFORGE_FLOAT32) {
        if (!is_calibrated) low = data->dtype == OPFORGE_UINT8 ? 0 : -limit, high = limit;
        return pass_on(call, low, high);
    }
    if (!is_calibrated) {
        int32_t status = find_extremes(call, (const float*)data->data, opforge_count(data), &low, &high);
        if (status) return status;
    }
    fill(call, limit / magnitude_of(low, high), 0);
    set_quantized_range(call, low, high);
    return OPFORGE_OK;
}

static void shift_int8(void* argument, int64_t begin, int64_t end) {
    const opforge_call* call = (const opforge_call*)argument;
    const int8_t* x = (const int8_t*)call->inputs[0].data;
    uint8_t* y = (uint8_t*)call->outputs[0].data;
    for (int64_t i = begin; i < end; i++) y[i] = (uint8_t)(x[i] + 128);
}

static int32_t quantize_asym(opforge_call* call) {
    const opforge_tensor* data = &call->inputs[0];
    float low, high;
    if (data->dtype == OPFORGE_UINT8) return pass_on(call, 1, 0);
    if (data->dtype == OPFORGE_INT8) {
        call->host->parallel_for(call, opforge_count(data), GRAIN, shift_int8, call);
        set_range(call, 1, 128);
        return OPFORGE_OK;
    }
    if (!find_calibrated(call, &low, &high)) {
        int32_t status = find_extremes(call, (const float*)data->data, opforge_count(data), &low, &high);
        if (status) return status;
    }
    float scale = 255 / (high - low), shift = 255 - high * scale;
    fill(call, scale, shift);
    set_range(call, scale, shift);
    return OPFORGE_OK;
}

const opforge_operator quantize_operator = OPERATOR("_contrib_quantize", quantize);
const opforge_operator quantize_v2_operator = OPERATOR("_contrib_quantize_v2", quantize_v2);
const opforge_operator quantize_asym_operator = OPERATOR("_contrib_quantize_asym", quantize_asym);
