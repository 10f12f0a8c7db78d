/* Forward and backward passes over small shapes; test_sanitized.py builds it with sanitizers. */
#include <stdlib.h>

#include "rnn.h"

static int32_t two_threads(opforge_call* call) {
    (void)call;
    return 2;
}

static void run_range(opforge_call* call, int64_t n, int64_t grain, opforge_range body, void* argument) {
    (void)call, (void)grain;
    body(argument, 0, n);
}

static int32_t run_parts(opforge_call* call, int64_t n, int64_t grain, int64_t scratch_bytes, opforge_part body,
                         void* argument) {
    opforge_worker worker = {0};
    (void)call, (void)grain, (void)scratch_bytes;
    return body(argument, &worker, 0, n);
}

static double element(const opforge_gemm* g, const void* x, int64_t at) {
    return g->dtype == OPFORGE_FLOAT32 ? ((const float*)x)[at] : ((const double*)x)[at];
}

static int32_t multiply(opforge_call* call, const opforge_gemm* g) {
    int64_t a_row = g->a_row ? g->a_row : g->transpose_a ? g->m : g->k;
    int64_t b_row = g->b_row ? g->b_row : g->transpose_b ? g->k : g->n, c_row = g->c_row ? g->c_row : g->n;
    (void)call;
    for (int64_t row = 0; row < g->m; row++) {
        for (int64_t column = 0; column < g->n; column++) {
            double sum = g->bias == NULL ? 0 : element(g, g->bias, column);
            for (int64_t k = 0; k < g->k; k++) {
                sum += element(g, g->a, g->transpose_a ? k * a_row + row : row * a_row + k) *
                       element(g, g->b, g->transpose_b ? column * b_row + k : k * b_row + column);
            }
            int64_t at = row * c_row + column;
            if (g->beta != 0) sum += g->beta * element(g, g->c, at);
            if (g->dtype == OPFORGE_FLOAT32) ((float*)g->c)[at] = (float)sum;
            else ((double*)g->c)[at] = sum;
        }
    }
    return OPFORGE_OK;
}

/* Command-line arguments, in order. */
enum { MODE, BITS, STEPS, BATCH, INPUT, SIZE, PROJECTION, LAYERS, DIRECTIONS, DROPS, HAS_LENGTHS, NUMBERS };

static rnn_shape shape_of(const int64_t* x) {
    static const int64_t gates[] = {1, 1, 4, 3};
    rnn_settings set = {
        .mode = (int32_t)x[MODE], .gates = gates[x[MODE]], .layers = x[LAYERS], .directions = x[DIRECTIONS], .size = x[SIZE],
        .out = x[PROJECTION] ? x[PROJECTION] : x[SIZE], .projects = x[PROJECTION] != 0, .has_reserve = 1, .p = x[DROPS] ? 0.5 : 0,
    };
    return (rnn_shape){set, OPFORGE_DTYPE(OPFORGE_CODE_FLOAT, (int32_t)x[BITS], 1), x[STEPS], x[BATCH], x[INPUT]};
}

/* Run a prediction, which stores everything in its workspace. */
static int32_t predict(opforge_call* call, rnn_shape s, rnn_arrays a) {
    s.set.has_reserve = 0;
    a.reserve = NULL;
    a.key = 0;
    a.workspace = aligned_alloc(64, ((size_t)rnn_forward_workspace(&s) + 64) / 64 * 64);
    int32_t status = rnn_forward(call, &s, &a);
    free(a.workspace);
    return status;
}

static int32_t run(const rnn_shape* s, int has_lengths) {
    const opforge_host host = {
        .threads = two_threads, .parallel_for = run_range, .parallel = run_parts, .gemm = multiply};
    opforge_call call = {.host = &host};
    size_t item = (size_t)opforge_item_size(s->dtype), sublayers = (size_t)(s->set.layers * s->set.directions * s->batch);
    size_t data = (size_t)(s->steps * s->batch * s->input), out = (size_t)(s->steps * s->batch * s->set.directions * s->set.out);
    size_t parameters = (size_t)rnn_parameters(&s->set, s->input), states = sublayers * (size_t)s->set.out;
    size_t cells = sublayers * (size_t)s->set.size, reserve = (size_t)rnn_reserve_size(s);
    int64_t* lengths = calloc((size_t)s->batch, sizeof *lengths);
    for (int64_t n = 0; n < s->batch; n++) lengths[n] = n % (s->steps + 1);
    int has_cells = s->set.mode == RNN_LSTM;
    rnn_arrays a = {
        .data = calloc(data, item), .parameters = calloc(parameters, item), .state = calloc(states, item),
        .cell = has_cells ? calloc(cells, item) : NULL, .lengths = has_lengths ? lengths : NULL, .out = calloc(out, item),
        .last_state = calloc(states, item), .last_cell = has_cells ? calloc(cells, item) : NULL,
        .reserve = calloc(reserve, item), .key = s->set.p > 0, .d_out = calloc(out, item),
        .d_data = calloc(data, item), .d_parameters = calloc(parameters, item), .d_state = calloc(states, item),
        .d_cell = has_cells ? calloc(cells, item) : NULL,
    };
    int32_t status = predict(&call, *s, a);
    a.workspace = aligned_alloc(64, ((size_t)rnn_forward_workspace(s) + 64) / 64 * 64);
    if (!status) status = rnn_forward(&call, s, &a);
    free(a.workspace);
    a.workspace = aligned_alloc(64, ((size_t)rnn_backward_workspace(s) + 64) / 64 * 64);
    if (!status) status = rnn_backward(&call, s, &a);
    const void* all[] = {a.data, a.parameters, a.state, a.cell, lengths, a.out, a.last_state, a.last_cell, a.reserve,
                         a.d_out, a.d_data, a.d_parameters, a.d_state, a.d_cell, a.workspace};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free((void*)all[i]);
    return status;
}

int main(int count, char** arguments) {
    int64_t numbers[NUMBERS];
    for (int at = 1; at + NUMBERS <= count; at += NUMBERS) {
        for (int i = 0; i < NUMBERS; i++) numbers[i] = atoll(arguments[at + i]);
        rnn_shape s = shape_of(numbers);
        if (run(&s, numbers[HAS_LENGTHS] != 0)) return 2;
    }
    return 0;
}
