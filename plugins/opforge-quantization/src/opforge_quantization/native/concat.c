/* quantized_concat: arrays with different ranges side by side, in the range that holds all of them. */
#include "native/operators.h"
#include "native/ranges.h"
#include "kernels/rounding.h"

typedef struct part {
    const void* data;
    char* out;
    int64_t length, next; /* elements of a row of the input and of the output */
    float scale;
} part;

#define DEFINE_ROWS(name, from, to, convert) \
    static void name(void* argument, int64_t begin, int64_t end) { \
        const part p = *(const part*)argument; /* a copy, which stores of bytes cannot change */ \
        for (int64_t row = begin; row < end; row++) { \
            const from* x = (const from*)p.data + row * p.length; \
            to* y = (to*)p.out + row * p.next; \
            for (int64_t i = 0; i < p.length; i++) y[i] = convert((float)x[i] * p.scale); \
        } \
    }

DEFINE_ROWS(rescale_int8, int8_t, int8_t, to_int8)
DEFINE_ROWS(rescale_uint8, uint8_t, uint8_t, to_uint8)
DEFINE_ROWS(rescale_to_int8, uint8_t, int8_t, to_int8)

static void copy_rows(void* argument, int64_t begin, int64_t end) {
    const part* p = (const part*)argument;
    for (int64_t row = begin; row < end; row++) {
        memcpy(p->out + row * p->next, (const char*)p->data + row * p->length, (size_t)p->length);
    }
}

static opforge_range loop_of(const opforge_tensor* in, const opforge_tensor* out, float scale) {
    if (in->dtype != out->dtype) return rescale_to_int8;
    if (scale == 1) return copy_rows;
    return in->dtype == OPFORGE_INT8 ? rescale_int8 : rescale_uint8;
}

/* The elements of the axes from `axis` on. */
static int64_t row_of(const opforge_tensor* array, int64_t axis) {
    int64_t length = 1;
    for (int64_t at = axis; at < array->ndim; at++) length *= array->shape[at];
    return length;
}

static int32_t concat(opforge_call* call) {
    opforge_tensor* out = &call->outputs[0];
    int count = call->n_inputs / 3;
    float low = 0, high = 0;
    for (int i = 0; i < count; i++) {
        low = fminf(low, number_of(&call->inputs[count + 2 * i]));
        high = fmaxf(high, number_of(&call->inputs[count + 2 * i + 1]));
    }
    set_range(call, low, high);
    if (out->byte_size == 0) return OPFORGE_OK;
    int64_t axis = opforge_find(call, "dim")->integer;
    if (axis < 0) axis += out->ndim;
    float out_scale = finer_limit(out->dtype) / magnitude_of(low, high);
    part p = {.out = (char*)out->data, .next = row_of(out, axis)};
    int64_t rows = opforge_count(out) / p.next;
    for (int i = 0; i < count; i++) {
        const opforge_tensor* in = &call->inputs[i];
        float in_scale = finer_limit(in->dtype) / range_at(call, count + 2 * i);
        p.data = in->data;
        p.length = row_of(in, axis);
        p.scale = out_scale == in_scale ? 1 : out_scale / in_scale;
        if (in->byte_size > 0) call->host->parallel_for(call, rows, 1 + GRAIN / p.length, loop_of(in, out, p.scale), &p);
        p.out += p.length;
    }
    return OPFORGE_OK;
}

const opforge_operator concat_operator = OPERATOR("_contrib_quantized_concat", concat);
