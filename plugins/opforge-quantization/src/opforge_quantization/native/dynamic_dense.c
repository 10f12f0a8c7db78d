/* _dynamic_dense: rows of float32 are quantized, each with a scale, and multiplied by weights of 8 or 4 bits. */
#include "native/dynamic_product.h"
#include "native/operators.h"

static int32_t dynamic_dense(opforge_call* call) {
    const opforge_tensor *data = &call->inputs[0], *out = &call->outputs[0];
    if (out->byte_size == 0) return OPFORGE_OK;
    const float* bias = opforge_find(call, "no_bias")->integer ? NULL : (const float*)call->inputs[3].data;
    const int64_t count = opforge_count(out) / call->inputs[1].shape[0];
    byte_dots p = product_of(call, &call->inputs[1], &call->inputs[2], opforge_count(data) / count, bias);
    int32_t status = reserve_rows(call, &p, count);
    if (status) return status;
    multiply_rows(call, &p, (const float*)data->data, count, (float*)out->data);
    return OPFORGE_OK;
}

const opforge_operator dynamic_dense_operator = OPERATOR("_dynamic_dense", dynamic_dense);
