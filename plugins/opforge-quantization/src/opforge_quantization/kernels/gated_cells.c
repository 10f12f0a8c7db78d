#include "kernels/gated_cells.h"

#include <opforge/simd.h>

static void advance_lstm(int64_t size, const float* restrict data, const float* restrict state, float* restrict memory,
                         float* restrict after, int64_t begin, int64_t end) {
    const int64_t forget = size, new = 2 * size, out = 3 * size;
    for (int64_t u = begin; u < end; u++) {
        const float kept = of_sigmoid_f32(data[forget + u] + state[forget + u]) * memory[u];
        const float added = of_sigmoid_f32(data[u] + state[u]) * of_tanh_f32(data[new + u] + state[new + u]);
        memory[u] = kept + added;
        after[u] = of_sigmoid_f32(data[out + u] + state[out + u]) * of_tanh_f32(memory[u]);
    }
}

static void advance_gru(int64_t size, const float* restrict data, const float* restrict state,
                        const float* restrict before, float* restrict after, int64_t begin, int64_t end) {
    const int64_t update = size, new = 2 * size;
    for (int64_t u = begin; u < end; u++) {
        const float reset = of_sigmoid_f32(data[u] + state[u]);
        const float z = of_sigmoid_f32(data[update + u] + state[update + u]);
        const float n = of_tanh_f32(data[new + u] + reset * state[new + u]);
        after[u] = n + z * (before[u] - n);
    }
}

static void advance_tanh(const float* restrict data, const float* restrict state, float* restrict after, int64_t begin,
                         int64_t end) {
    for (int64_t u = begin; u < end; u++) after[u] = of_tanh_f32(data[u] + state[u]);
}

static void advance_relu(const float* restrict data, const float* restrict state, float* restrict after, int64_t begin,
                         int64_t end) {
    for (int64_t u = begin; u < end; u++) {
        const float x = data[u] + state[u];
        after[u] = x < 0 ? 0 : x;
    }
}

void advance_cells(cell_kind kind, int64_t size, const float* from_data, const float* from_state, const float* before,
                   float* memory, float* after, int64_t begin, int64_t end) {
    switch (kind) {
    case CELL_LSTM: advance_lstm(size, from_data, from_state, memory, after, begin, end); break;
    case CELL_GRU: advance_gru(size, from_data, from_state, before, after, begin, end); break;
    case CELL_TANH: advance_tanh(from_data, from_state, after, begin, end); break;
    case CELL_RELU: advance_relu(from_data, from_state, after, begin, end); break;
    }
}
