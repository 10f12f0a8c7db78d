/* Where parameters and what is kept lie. */
#include "count.h"
#include "rnn.h"

int64_t rnn_parameters(const rnn_settings* s, int64_t input) {
    rnn_count t = {0};
    int64_t rows = s->gates * s->size, strands = s->directions * s->layers;
    rnn_take(&t, s->directions, rows, input, 1);
    rnn_take(&t, strands - s->directions, rows, s->directions * s->out, 1);
    rnn_take(&t, strands, rows, s->out, 1);
    if (s->projects) rnn_take(&t, strands, s->out, s->size, 1);
    rnn_take(&t, strands, rows, 2, 1);
    return rnn_taken(&t);
}

rnn_weights rnn_weights_of(const rnn_shape* shape, int64_t layer, int64_t direction) {
    const rnn_settings* s = &shape->set;
    int64_t rows = s->gates * s->size, before = layer * s->directions + direction;
    int64_t above = s->directions * s->out, h2r = s->projects ? s->out * s->size : 0;
    /* Those of the first layer read other data. */
    int64_t firsts = layer == 0 ? direction : s->directions;
    rnn_weights w = {.input = layer == 0 ? shape->input : above};
    w.i2h = firsts * rows * shape->input + (before - firsts) * rows * above + before * (rows * s->out + h2r);
    w.h2h = w.i2h + rows * w.input;
    w.h2r = w.h2h + rows * s->out;
    w.i2h_bias = rnn_parameters(s, shape->input) - (s->directions * s->layers - before) * 2 * rows;
    w.h2h_bias = w.i2h_bias + rows;
    return w;
}

/* What one layer keeps, behind what is there. */
static rnn_kept keep(const rnn_shape* shape, int64_t layer, rnn_count* t) {
    const rnn_settings* s = &shape->set;
    int64_t steps = shape->steps, batch = shape->batch, each = s->directions * s->size;
    int is_last = layer == s->layers - 1;
    rnn_kept k = {.gates = rnn_take(t, steps, batch, each, s->gates)};
    k.cells = rnn_take(t, steps, batch, each, s->mode == RNN_LSTM);
    k.hidden = rnn_take(t, steps, batch, each, rnn_keeps_hidden(s));
    k.above = k.dropped = rnn_take(t, steps, batch, s->directions * s->out, !is_last);
    if (s->p > 0) k.dropped = rnn_take(t, steps, batch, s->directions * s->out, !is_last);
    return k;
}

rnn_kept rnn_kept_of(const rnn_shape* s, int64_t layer) {
    rnn_count first = {.elements = RNN_KEY};
    if (layer == 0) return keep(s, 0, &first);
    /* All but the last layer keep as much as the first. */
    keep(s, 0, &first);
    rnn_count before = {.elements = RNN_KEY + layer * (first.elements - RNN_KEY)};
    return keep(s, layer, &before);
}

int64_t rnn_kept_size(const rnn_shape* s) {
    rnn_count first = {0}, all = {.elements = RNN_KEY};
    if (s->steps == 0 || s->batch == 0) return 0;
    keep(s, 0, &first);
    rnn_take(&all, s->set.layers - 1, first.elements, 1, 1);
    keep(s, s->set.layers - 1, &all);
    all.overflows |= first.overflows;
    return rnn_taken(&all);
}
