/* quantized_rnn: LSTM cells with products of uint8 data and states with int8 weights. */
#include <math.h>
#include <stdbool.h>

#include "native/lstm.h"
#include "native/operators.h"
#include "native/ranges.h"
#include "kernels/product.h"
#include "kernels/rounding.h"

enum { DATA, PARAMETERS, STATE, CELL, SCALE, SHIFT }; /* inputs */

/* Memory of a layer in one direction. */
typedef struct buffers {
    uint8_t* states;            /* the states of a step */
    int8_t *weight, *recurrent; /* of int8 */
    int32_t *sums, *from_state; /* for all steps from the data, for one step from the state */
    float *scales, *factors, *biases, *cells;
} buffers;

/* Convert the rows of a weight to int8, and add what the shift of the data adds to its sums. */
static void convert(const lstm* l, const float* weight, int64_t length, const float* scales, int8_t* out, float* shifts) {
    for (int64_t row = 0; row < GATES * l->state; row++) {
        int32_t total = 0;
        for (int64_t i = row * length; i < (row + 1) * length; i++) {
            out[i] = to_int8(weight[i] * scales[row]);
            total += out[i];
        }
        shifts[row] += l->shift * (float)total;
    }
}

static void convert_weights(const lstm* l, const cell* c, const buffers* b) {
    int64_t rows = GATES * l->state;
    for (int64_t row = 0; row < rows; row++) b->biases[row] = 0;
    convert(l, c->weight, c->in, b->scales, b->weight, b->biases);
    convert(l, c->recurrent, l->state, b->scales, b->recurrent, b->biases);
    for (int64_t row = 0; row < rows; row++) {
        b->factors[row] = 1.0f / (b->scales[row] * l->scale);
        b->biases[row] = c->bias[row] + c->recurrent_bias[row] - b->biases[row] * b->factors[row];
    }
}

static float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

/* Advance the states of all samples by a step; `out` gets them for the next layer. */
static void step(const lstm* l, const buffers* b, const int32_t* sums, uint8_t* out) {
    int64_t rows = GATES * l->state, next = l->directions * l->state;
    quantized_product(b->states, true, b->recurrent, b->from_state, l->n, rows, l->state, rows, 1);
    for (int64_t sample = 0; sample < l->n; sample++) {
        for (int64_t i = 0; i < l->state; i++) {
            float gates[GATES];
            for (int gate = 0; gate < GATES; gate++) {
                int64_t row = gate * l->state + i, at = sample * rows + row;
                gates[gate] = (float)(sums[at] + b->from_state[at]) * b->factors[row] + b->biases[row];
            }
            float* memory = &b->cells[sample * l->state + i];
            *memory = sigmoid(gates[1]) * *memory + sigmoid(gates[0]) * tanhf(gates[2]);
            uint8_t state = to_uint8(sigmoid(gates[3]) * tanhf(*memory) * l->scale + l->shift);
            b->states[sample * l->state + i] = out[sample * next + i] = state;
        }
    }
}

/* Run a direction of a layer from `in`, (steps, n, width), to its part of `out`. */
static void run_direction(const lstm* l, const cell* c, const buffers* b, const uint8_t* in, uint8_t* out, bool is_reverse) {
    int64_t rows = GATES * l->state;
    convert_weights(l, c, b);
    quantized_product(in, true, b->weight, b->sums, l->steps * l->n, rows, c->in, rows, 1);
    for (int64_t at = 0; at < l->steps; at++) {
        int64_t t = is_reverse ? l->steps - 1 - at : at;
        step(l, b, b->sums + t * l->n * rows, out + t * l->n * l->directions * l->state);
    }
}

static void to_real(const lstm* l, const uint8_t* states, int64_t n, float* out) {
    for (int64_t i = 0; i < n; i++) out[i] = ((float)states[i] - l->shift) / l->scale;
}

/* Run all layers; outputs that the caller does not request are absent. */
static void run_layers(opforge_call* call, const lstm* l, const buffers* b, uint8_t* const* sequences) {
    const float* parameters = (const float*)call->inputs[PARAMETERS].data;
    const uint8_t* in = (const uint8_t*)call->inputs[DATA].data;
    int64_t size = l->n * l->state;
    weight_scales(l, parameters, b->scales);
    for (int64_t at = 0; at < l->layers * l->directions; at++) {
        int64_t layer = at / l->directions, direction = at % l->directions;
        const float* first = (const float*)call->inputs[STATE].data + at * size;
        for (int64_t i = 0; i < size; i++) b->states[i] = to_uint8(first[i] * l->scale + l->shift);
        memcpy(b->cells, (const float*)call->inputs[CELL].data + at * size, (size_t)size * sizeof(float));
        cell c = cell_at(l, parameters, layer, direction);
        run_direction(l, &c, b, layer == 0 ? in : sequences[(layer - 1) % 2],
                      sequences[layer % 2] + direction * l->state, direction == 1);
        if (call->n_outputs < 3) continue;
        to_real(l, b->states, size, (float*)call->outputs[1].data + at * size);
        memcpy((float*)call->outputs[2].data + at * size, b->cells, (size_t)size * sizeof(float));
    }
}

/* The next `bytes` of a block, aligned for vectors. */
static void* take(char** memory, int64_t bytes) {
    char* found = *memory;
    *memory += (bytes + 63) / 64 * 64;
    return found;
}

static int32_t recur(opforge_call* call) {
    const opforge_tensor *data = &call->inputs[DATA], *state = &call->inputs[STATE];
    lstm l = {
        .steps = data->shape[0], .n = data->shape[1], .in = data->shape[2], .state = state->shape[2],
        .layers = opforge_find(call, "num_layers")->integer,
        .directions = 1 + (opforge_find(call, "bidirectional")->integer != 0),
        .scale = number_of(&call->inputs[SCALE]), .shift = number_of(&call->inputs[SHIFT]),
    };
    int64_t rows = GATES * l.state, out = l.steps * l.n * l.directions * l.state;
    int64_t width = l.in > l.directions * l.state ? l.in : l.directions * l.state;
    int64_t bytes = l.n * l.state * 5 + rows * (width + l.state) + (l.steps + 1) * l.n * rows * 4 + rows * 12 + 2 * out;
    char* memory = (char*)call->host->scratch(call, bytes + 16 * 64);
    if (memory == NULL) return OPFORGE_NO_MEMORY;
    buffers b = {
        .states = (uint8_t*)take(&memory, l.n * l.state), .weight = (int8_t*)take(&memory, rows * width),
        .recurrent = (int8_t*)take(&memory, rows * l.state), .sums = (int32_t*)take(&memory, l.steps * l.n * rows * 4),
        .from_state = (int32_t*)take(&memory, l.n * rows * 4), .scales = (float*)take(&memory, rows * 4),
        .factors = (float*)take(&memory, rows * 4), .biases = (float*)take(&memory, rows * 4),
        .cells = (float*)take(&memory, l.n * l.state * 4),
    };
    uint8_t* sequences[2] = {(uint8_t*)take(&memory, out), (uint8_t*)take(&memory, out)};
    run_layers(call, &l, &b, sequences);
    to_real(&l, sequences[(l.layers - 1) % 2], out, (float*)call->outputs[0].data);
    return OPFORGE_OK;
}

const opforge_operator recurrent_operator = OPERATOR("_contrib_quantized_rnn", recur);
