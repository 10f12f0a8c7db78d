/* dequantize and requantize: from int8, uint8 and int32. */
#include "native/extremes.h"
#include "native/operators.h"
#include "native/ranges.h"
#include "kernels/rounding.h"

typedef struct scaling {
    const void* x;
    void* y;
    float scale;
} scaling;

#define DEFINE_LOOP(name, from, to, convert) \
    static void name(void* argument, int64_t begin, int64_t end) { \
        const scaling s = *(const scaling*)argument; /* a copy, which stores cannot change */ \
        const from* x = (const from*)s.x; \
        to* y = (to*)s.y; \
        for (int64_t i = begin; i < end; i++) y[i] = convert((float)x[i] * s.scale); \
    }

DEFINE_LOOP(int8_to_float, int8_t, float, )
DEFINE_LOOP(uint8_to_float, uint8_t, float, )
DEFINE_LOOP(int32_to_int8, int32_t, int8_t, to_int8)
DEFINE_LOOP(int32_to_uint8, int32_t, uint8_t, to_uint8)

static void run(opforge_call* call, opforge_range loop, float scale) {
    scaling s = {call->inputs[0].data, call->outputs[0].data, scale};
    call->host->parallel_for(call, opforge_count(&call->outputs[0]), GRAIN, loop, &s);
}

static int32_t dequantize(opforge_call* call) {
    opforge_dtype dtype = call->inputs[0].dtype;
    run(call, dtype == OPFORGE_INT8 ? int8_to_float : uint8_to_float, range_at(call, 1) / finer_limit(dtype));
    return OPFORGE_OK;
}

static int32_t requantize(opforge_call* call) {
    const opforge_tensor* data = &call->inputs[0];
    opforge_dtype dtype = call->outputs[0].dtype;
    float range = range_at(call, 1), low, high, magnitude;
    if (find_calibrated(call, &low, &high)) {
        magnitude = magnitude_of(low, high);
    } else {
        int32_t status = find_magnitude(call, (const int32_t*)data->data, opforge_count(data), &magnitude);
        if (status) return status;
        magnitude = magnitude * range / INT32_LIMIT;
    }
    float level = range / INT32_LIMIT, scale = whole_limit(dtype) / magnitude;
    run(call, dtype == OPFORGE_INT8 ? int32_to_int8 : int32_to_uint8, level * scale);
    set_range(call, dtype == OPFORGE_INT8 ? -magnitude : 0, magnitude);
    return OPFORGE_OK;
}

const opforge_operator dequantize_operator = OPERATOR("_contrib_dequantize", dequantize);
const opforge_operator requantize_operator = OPERATOR("_contrib_requantize", requantize);
