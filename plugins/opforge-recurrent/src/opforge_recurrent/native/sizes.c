/* Offsets of parameters and of the reserve. */
#include "layout.h"
#include "rnn.h"

int64_t rnn_parameters(const rnn_settings* s, int64_t input) {
    rnn_layout t = {0};
    int64_t rows = s->gates * s->size, sublayers = s->directions * s->layers;
    rnn_allocate(&t, s->directions, rows, input, 1);
    rnn_allocate(&t, sublayers - s->directions, rows, s->directions * s->out, 1);
    rnn_allocate(&t, sublayers, rows, s->out, 1);
    if (s->projects) rnn_allocate(&t, sublayers, s->out, s->size, 1);
    rnn_allocate(&t, sublayers, rows, 2, 1);
    return rnn_total(&t);
}

rnn_weights rnn_weights_of(const rnn_shape* shape, int64_t layer, int64_t direction) {
    const rnn_settings* s = &shape->set;
    int64_t rows = s->gates * s->size, before = layer * s->directions + direction;
    int64_t above = s->directions * s->out, h2r = s->projects ? s->out * s->size : 0;
    /* The first layer has another input size. */
    int64_t firsts = layer == 0 ? direction : s->directions;
    rnn_weights w = {.input = layer == 0 ? shape->input : above};
    w.i2h = firsts * rows * shape->input + (before - firsts) * rows * above + before * (rows * s->out + h2r);
    w.h2h = w.i2h + rows * w.input;
    w.h2r = w.h2h + rows * s->out;
    w.i2h_bias = rnn_parameters(s, shape->input) - (s->directions * s->layers - before) * 2 * rows;
    w.h2h_bias = w.i2h_bias + rows;
    return w;
}

/* Allocate the part of the reserve for one layer. */
static rnn_reserve allocate_layer(const rnn_shape* shape, int64_t layer, rnn_layout* t) {
    const rnn_settings* s = &shape->set;
    int64_t steps = shape->steps, batch = shape->batch, each = s->directions * s->size;
    int is_last = layer == s->layers - 1;
    rnn_reserve k = {.gates = rnn_allocate(t, steps, batch, each, s->gates)};
    k.cells = rnn_allocate(t, steps, batch, each, s->mode == RNN_LSTM);
    k.hidden = rnn_allocate(t, steps, batch, each, rnn_stores_hidden(s));
    k.above = k.dropped = rnn_allocate(t, steps, batch, s->directions * s->out, !is_last);
    if (s->p > 0) k.dropped = rnn_allocate(t, steps, batch, s->directions * s->out, !is_last);
    return k;
}

rnn_reserve rnn_reserve_of(const rnn_shape* s, int64_t layer) {
    rnn_layout first = {.elements = RNN_KEY};
    if (layer == 0) return allocate_layer(s, 0, &first);
    /* All layers except the last need as much as the first. */
    allocate_layer(s, 0, &first);
    rnn_layout before = {.elements = RNN_KEY + layer * (first.elements - RNN_KEY)};
    return allocate_layer(s, layer, &before);
}

int64_t rnn_reserve_size(const rnn_shape* s) {
    rnn_layout first = {0}, all = {.elements = RNN_KEY};
    if (s->steps == 0 || s->batch == 0) return 0;
    allocate_layer(s, 0, &first);
    rnn_allocate(&all, s->set.layers - 1, first.elements, 1, 1);
    allocate_layer(s, s->set.layers - 1, &all);
    all.overflows |= first.overflows;
    return rnn_total(&all);
}
