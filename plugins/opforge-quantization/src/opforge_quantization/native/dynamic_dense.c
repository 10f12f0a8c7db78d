/* _dynamic_dense: rows of float32 are quantized, each with a scale, and multiplied by weights of 8 or 4 bits. */
#include "native/operators.h"
#include "native/ranges.h"
#include "kernels/byte_dots.h"

typedef struct rounding {
    const float* data;
    int64_t length, padded;
    int has_groups;
    int32_t factor;
    int8_t* rows;
    float* steps;
    int32_t* starts;
} rounding;

static void quantize_rows(void* argument, int64_t begin, int64_t end) {
    const rounding* r = (const rounding*)argument;
    for (int64_t row = begin; row < end; row++) {
        int8_t* bytes = r->rows + row * r->padded;
        r->steps[row] = quantize_row(r->data + row * r->length, r->length, bytes);
        if (r->has_groups) scaled_sums_of_four(bytes, r->padded, r->factor, r->starts + row * r->padded / 4);
        else r->starts[row] = scaled_sum(bytes, r->padded, r->factor);
    }
}

static void run_columns(void* argument, int64_t begin, int64_t end) {
    byte_dots_run((const byte_dots*)argument, begin, end);
}

/* Quantize the rows of data to memory of the call. */
static int32_t prepare_rows(opforge_call* call, byte_dots* p) {
    const int64_t starts = p->has_groups ? p->padded / 4 : 1;
    rounding r = {
        .data = (const float*)call->inputs[0].data, .length = p->length, .padded = p->padded, .has_groups = p->has_groups,
        .factor = -weight_zero(p->bits),
        .rows = call->host->scratch(call, p->count * p->padded + ROW_BLOCK), .steps = call->host->scratch(call, p->count * 4),
        .starts = call->host->scratch(call, p->count * starts * 4 + ROW_BLOCK),
    };
    if (r.rows == NULL || r.steps == NULL || r.starts == NULL) return OPFORGE_NO_MEMORY;
    call->host->parallel_for(call, p->count, GRAIN / (p->padded + 1) + 1, quantize_rows, &r);
    p->rows = r.rows, p->steps = r.steps, p->starts = r.starts;
    return OPFORGE_OK;
}

static int32_t dynamic_dense(opforge_call* call) {
    const opforge_tensor *weight = &call->inputs[1], *scale = &call->inputs[2], *out = &call->outputs[0];
    if (out->byte_size == 0) return OPFORGE_OK;
    byte_dots p = {
        .bits = (int)opforge_find(call, "bits")->integer, .weights = (const uint8_t*)weight->data,
        .columns = weight->shape[0], .column_bytes = weight->shape[1], .scales = (const float*)scale->data,
        .groups = scale->shape[1], .out = (float*)out->data,
    };
    for (int64_t size = opforge_find(call, "group_size")->integer; size > 1; size /= 2) p.group_shift++;
    p.has_groups = p.group_shift > 0;
    if (!opforge_find(call, "no_bias")->integer) p.bias = (const float*)call->inputs[3].data;
    p.count = opforge_count(out) / p.columns;
    p.length = opforge_count(&call->inputs[0]) / p.count;
    p.padded = padded_length(p.length);
    int32_t status = prepare_rows(call, &p);
    if (status) return status;
    const int64_t tiles = (p.columns + DOT_COLUMNS - 1) / DOT_COLUMNS;
    const int64_t products = p.count * DOT_COLUMNS * (p.padded + ROW_BLOCK);
    call->host->parallel_for(call, tiles, PRODUCTS_OF_GRAIN / products + 1, run_columns, &p);
    return OPFORGE_OK;
}

const opforge_operator dynamic_dense_operator = OPERATOR("_dynamic_dense", dynamic_dense);
