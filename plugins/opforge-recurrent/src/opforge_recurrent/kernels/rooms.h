/* The workspace of a pass, in elements. */
#ifndef OPFORGE_RNN_ROOMS_H
#define OPFORGE_RNN_ROOMS_H

#include "blocking.h"
#include "count.h"

typedef struct rooms {
    int64_t panels[2];      /* the packed recurrent weights of each direction */
    int64_t input_panels[2]; /* those of what a layer reads */
    int64_t bias[2];        /* (gates * size,): of each direction, both biases added up */
    int64_t gates;          /* where nothing is kept, (directions, steps that are held, batch, gates * size): the sums */
    int64_t cells;          /* (directions, steps, batch, size) */
    int64_t hidden;         /* (directions, steps that are held, batch, size) */
    int64_t above[2];       /* (steps, batch, directions * out): of what layers read, taking turns */
    int64_t d_gates[2];     /* (steps, batch, gates * size): gradients of the sums' inputs */
    int64_t d_recurrent[2]; /* the same, of their recurrent parts; d_gates where they are equal */
    int64_t d_first[2];     /* (batch, gates * size): of each sequence's first step */
    int64_t d_state[2];     /* (batch, out): what the step before gets */
    int64_t d_cell[2];      /* (batch, size) */
    int64_t d_out[2];       /* (steps, batch, out): of projected states */
    int64_t d_hidden[2];    /* (batch, size): of states before their projection */
    int64_t d_above[2];     /* (steps, batch, directions * out): of what layers read, taking turns */
    int64_t elements;       /* -1: more than 64 bits count */
} rooms;

/* They come first: their vectors are aligned. */
static inline void take_panels(rooms* r, rnn_count* t, const rnn_shape* s, blocking b) {
    for (int64_t d = 0; d < s->set.directions; d++) r->panels[d] = rnn_take(t, b.blocks, b.panel, is_packed(s), 1);
}

/* The most that a layer with packed weights reads. */
static inline int64_t most_inputs(const rnn_shape* s) {
    int64_t above = s->set.layers > 1 ? s->set.directions * s->set.out : 0, most = 0;
    if (packs_inputs(s, s->input)) most = s->input;
    return packs_inputs(s, above) && above > most ? above : most;
}

/* What each layer works in, one after the other, where nothing is kept. */
static inline void take_layer(rooms* r, rnn_count* t, const rnn_shape* shape) {
    const rnn_settings* s = &shape->set;
    int64_t held = steps_held(shape, shape->input), above = s->directions * s->out;
    if (s->layers > 1 && steps_held(shape, above) > held) held = steps_held(shape, above);
    r->gates = rnn_take(t, held, shape->batch, s->directions * s->gates, s->size);
    r->cells = rnn_take(t, shape->steps, shape->batch, s->directions * s->size, s->mode == RNN_LSTM);
    r->hidden = rnn_take(t, held, shape->batch, s->directions * s->size, rnn_keeps_hidden(s));
    for (int turn = 0; turn < 2; turn++) r->above[turn] = rnn_take(t, shape->steps, shape->batch, above, s->layers > 1 + turn);
}

static inline rooms forward_rooms(const rnn_shape* shape) {
    const rnn_settings* s = &shape->set;
    rnn_count t = {0};
    rooms r = {0};
    blocking b = forward_blocking(shape);
    take_panels(&r, &t, shape, b);
    for (int64_t d = 0; d < s->directions; d++) {
        r.input_panels[d] = rnn_take(&t, b.blocks, b.vectors * lanes_of(shape), most_inputs(shape), 1);
    }
    for (int64_t d = 0; d < s->directions; d++) r.bias[d] = rnn_take(&t, s->gates, s->size, 1, 1);
    if (!s->keeps) take_layer(&r, &t, shape);
    r.elements = rnn_taken(&t);
    return r;
}

static inline rooms backward_rooms(const rnn_shape* shape) {
    const rnn_settings* s = &shape->set;
    int64_t steps = shape->steps, batch = shape->batch;
    rnn_count t = {0};
    rooms r = {0};
    take_panels(&r, &t, shape, backward_blocking(shape));
    for (int64_t d = 0; d < s->directions; d++) {
        r.d_gates[d] = r.d_recurrent[d] = rnn_take(&t, steps, batch, s->gates, s->size);
        if (s->mode == RNN_GRU) r.d_recurrent[d] = rnn_take(&t, steps, batch, s->gates, s->size);
        r.d_first[d] = rnn_take(&t, batch, s->gates, s->size, 1);
        r.d_state[d] = rnn_take(&t, batch, s->out, 1, 1);
        r.d_cell[d] = rnn_take(&t, batch, s->size, s->mode == RNN_LSTM, 1);
        r.d_out[d] = rnn_take(&t, steps, batch, s->out, s->projects);
        r.d_hidden[d] = rnn_take(&t, batch, s->size, s->projects, 1);
    }
    for (int turn = 0; turn < 2; turn++) {
        r.d_above[turn] = rnn_take(&t, steps, batch, s->directions * s->out, s->layers > 1 + turn);
    }
    r.elements = rnn_taken(&t);
    return r;
}

#endif
