#include "native/lstm.h"

#include <math.h>

static int64_t weights_of(const lstm* l, int64_t layer) {
    return GATES * l->state * (width_of(l, layer) + l->state);
}

cell cell_at(const lstm* l, const float* parameters, int64_t layer, int64_t direction) {
    int64_t rows = GATES * l->state, before = 0, all = 0;
    for (int64_t at = 0; at < l->layers; at++) {
        all += l->directions * weights_of(l, at);
        if (at < layer) before += l->directions * weights_of(l, at);
    }
    cell c = {.weight = parameters + before + direction * weights_of(l, layer), .in = width_of(l, layer)};
    c.recurrent = c.weight + rows * c.in;
    c.bias = parameters + all + (layer * l->directions + direction) * 2 * rows;
    c.recurrent_bias = c.bias + rows;
    return c;
}

static float largest(const float* row, int64_t n, float found) {
    for (int64_t i = 0; i < n; i++) found = fabsf(row[i]) > found ? fabsf(row[i]) : found;
    return found;
}

void weight_scales(const lstm* l, const float* parameters, float* scales) {
    for (int64_t row = 0; row < GATES * l->state; row++) {
        float found = 0;
        for (int64_t at = 0; at < l->layers * l->directions; at++) {
            cell c = cell_at(l, parameters, at / l->directions, at % l->directions);
            found = largest(c.weight + row * c.in, c.in, found);
            found = largest(c.recurrent + row * l->state, l->state, found);
        }
        scales[row] = found > 0 ? 127.0f / found : 1.0f;
    }
}
