#include "native/dynamic_product.h"

#include "native/ranges.h"

byte_dots product_of(const opforge_call* call, const opforge_tensor* weight, const opforge_tensor* scale,
                     int64_t length, const float* bias) {
    byte_dots p = {
        .bits = (int)opforge_find(call, "bits")->integer, .weights = (const uint8_t*)weight->data,
        .columns = weight->shape[0], .column_bytes = weight->shape[1], .scales = (const float*)scale->data,
        .groups = scale->shape[1], .length = length, .padded = padded_length(length), .bias = bias,
    };
    for (int64_t size = opforge_find(call, "group_size")->integer; size > 1; size /= 2) p.group_shift++;
    p.has_groups = p.group_shift > 0;
    return p;
}

int32_t reserve_rows(opforge_call* call, byte_dots* p, int64_t count) {
    const int64_t starts = p->has_groups ? p->padded / 4 : 1;
    p->rows = call->host->scratch(call, count * p->padded + ROW_BLOCK);
    p->steps = call->host->scratch(call, count * 4);
    p->starts = call->host->scratch(call, count * starts * 4 + ROW_BLOCK);
    return p->rows == NULL || p->steps == NULL || p->starts == NULL ? OPFORGE_NO_MEMORY : OPFORGE_OK;
}

typedef struct rounding {
    const byte_dots* p;
    const float* data;
} rounding;

static void quantize_rows(void* argument, int64_t begin, int64_t end) {
    const rounding* r = (const rounding*)argument;
    const byte_dots* p = r->p;
    const int32_t factor = -weight_zero(p->bits);
    for (int64_t row = begin; row < end; row++) {
        int8_t* bytes = p->rows + row * p->padded;
        p->steps[row] = quantize_row(r->data + row * p->length, p->length, bytes);
        if (p->has_groups) scaled_sums_of_four(bytes, p->padded, factor, p->starts + row * p->padded / 4);
        else p->starts[row] = scaled_sum(bytes, p->padded, factor);
    }
}

static void run_columns(void* argument, int64_t begin, int64_t end) {
    byte_dots_run((const byte_dots*)argument, begin, end);
}

void multiply_rows(opforge_call* call, byte_dots* p, const float* data, int64_t count, float* out) {
    if (count == 0) return;
    p->count = count, p->out = out;
    rounding r = {p, data};
    call->host->parallel_for(call, count, GRAIN / (p->padded + 1) + 1, quantize_rows, &r);
    const int64_t tiles = (p->columns + DOT_COLUMNS - 1) / DOT_COLUMNS;
    const int64_t products = count * DOT_COLUMNS * (p->padded + ROW_BLOCK);
    call->host->parallel_for(call, tiles, PRODUCTS_OF_GRAIN / products + 1, run_columns, p);
}
