#include "native/weights.h"

#include "native/ranges.h"
#include "kernels/rounding.h"

/* Inputs are data, weight and perhaps a bias, then the range of each. */
static int n_arrays(const opforge_call* call) { return call->n_inputs / 3; }

void set_product_range(opforge_call* call) {
    int first = n_arrays(call);
    float data_level = range_at(call, first) / whole_limit(call->inputs[0].dtype);
    float weight_level = range_at(call, first + 2) / whole_limit(OPFORGE_INT8);
    float range = data_level * weight_level * INT32_LIMIT;
    set_range(call, -range, range);
}

int32_t scaled_bias(opforge_call* call, const int32_t** bias) {
    int first = n_arrays(call);
    *bias = NULL;
    if (first < 3) return OPFORGE_OK;
    const opforge_tensor* given = &call->inputs[2];
    float data_scale = finer_limit(call->inputs[0].dtype) / range_at(call, first);
    float weight_scale = finer_limit(OPFORGE_INT8) / range_at(call, first + 2);
    float scale = data_scale * weight_scale * range_at(call, first + 4) / finer_limit(OPFORGE_INT8);
    int64_t n = opforge_count(given);
    int32_t* scaled = (int32_t*)call->host->scratch(call, n * (int64_t)sizeof *scaled);
    if (scaled == NULL) return OPFORGE_NO_MEMORY;
    for (int64_t i = 0; i < n; i++) scaled[i] = truncate_to_int32(((const int8_t*)given->data)[i] * scale);
    *bias = scaled;
    return OPFORGE_OK;
}
