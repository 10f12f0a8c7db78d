/* _dynamic_rnn: a direction of a recurrent layer, whose data and states are quantized in each step and multiplied by
 * weights of 8 or 4 bits. */
#include "kernels/gated_cells.h"
#include "native/dynamic_product.h"
#include "native/operators.h"
#include "native/ranges.h"

enum { DATA, I2H, I2H_SCALE, H2H, H2H_SCALE, I2H_BIAS, H2H_BIAS, STATE, CELL }; /* inputs */

typedef struct layer {
    cell_kind kind;
    int64_t steps, n, size, width; /* width: of the gates of a sequence */
    int is_reverse;
    float *from_data, *from_state; /* (steps, n, width), (n, width) */
    float *out, *memory;           /* (steps, n, size), (n, size) */
} layer;

typedef struct step {
    const layer* l;
    const float *from_data, *before;
    float* after;
} step;

static cell_kind kind_of(const char* mode) {
    if (strcmp(mode, "lstm") == 0) return CELL_LSTM;
    if (strcmp(mode, "gru") == 0) return CELL_GRU;
    return strcmp(mode, "rnn_tanh") == 0 ? CELL_TANH : CELL_RELU;
}

/* Advance units [begin, end) of all sequences, one after the other. */
static void run_units(void* argument, int64_t begin, int64_t end) {
    const step* s = (const step*)argument;
    const layer* l = s->l;
    while (begin < end) {
        const int64_t sample = begin / l->size, first = sample * l->size;
        const int64_t last = first + l->size < end ? first + l->size : end;
        advance_cells(l->kind, l->size, s->from_data + sample * l->width, l->from_state + sample * l->width,
                      s->before + first, l->memory + first, s->after + first, begin - first, last - first);
        begin = last;
    }
}

static void run_steps(opforge_call* call, const layer* l, byte_dots* recurrent, const float* before) {
    const int64_t units = l->n * l->size;
    for (int64_t i = 0; i < l->steps; i++) {
        const int64_t t = l->is_reverse ? l->steps - 1 - i : i;
        step s = {l, l->from_data + t * l->n * l->width, before, l->out + t * units};
        multiply_rows(call, recurrent, before, l->n, l->from_state);
        call->host->parallel_for(call, units, GRAIN / 8, run_units, &s);
        before = s.after;
    }
    memcpy(call->outputs[1].data, before, (size_t)units * sizeof(float));
}

/* The initial state or cell; zeros without it. */
static const float* first_state(const opforge_call* call, int input, float* zeros, int64_t count) {
    if (opforge_find(call, "with_state")->integer) return (const float*)call->inputs[input].data;
    memset(zeros, 0, (size_t)count * sizeof(float));
    return zeros;
}

static int32_t dynamic_rnn(opforge_call* call) {
    const opforge_tensor* data = &call->inputs[DATA];
    layer l = {
        .kind = kind_of(opforge_find(call, "mode")->text), .steps = data->shape[0], .n = data->shape[1],
        .size = opforge_find(call, "state_size")->integer, .width = call->inputs[H2H_BIAS].shape[0],
        .is_reverse = (int)opforge_find(call, "reverse")->integer, .out = (float*)call->outputs[0].data,
    };
    const int64_t units = l.n * l.size, rows = l.steps * l.n;
    byte_dots input = product_of(call, &call->inputs[I2H], &call->inputs[I2H_SCALE], data->shape[2],
                                 (const float*)call->inputs[I2H_BIAS].data);
    byte_dots recurrent = product_of(call, &call->inputs[H2H], &call->inputs[H2H_SCALE], l.size,
                                     (const float*)call->inputs[H2H_BIAS].data);
    l.from_data = call->host->scratch(call, (rows + 1) * l.width * 4);
    l.from_state = call->host->scratch(call, (l.n + 1) * l.width * 4);
    float* zeros = call->host->scratch(call, (units + 1) * 4);
    if (l.from_data == NULL || l.from_state == NULL || zeros == NULL) return OPFORGE_NO_MEMORY;
    int32_t status = reserve_rows(call, &input, rows + 1);
    if (!status) status = reserve_rows(call, &recurrent, l.n + 1);
    if (status) return status;
    if (l.kind == CELL_LSTM) {
        l.memory = (float*)call->outputs[2].data;
        memcpy(l.memory, first_state(call, CELL, zeros, units), (size_t)units * sizeof(float));
    } else l.memory = zeros; /* unused */
    const float* before = first_state(call, STATE, zeros, units);
    multiply_rows(call, &input, (const float*)data->data, rows, l.from_data);
    run_steps(call, &l, &recurrent, before);
    return OPFORGE_OK;
}

const opforge_operator dynamic_rnn_operator = OPERATOR("_dynamic_rnn", dynamic_rnn);
