/* Layout of the workspace of a pass, in elements. */
#ifndef OPFORGE_RNN_WORKSPACE_H
#define OPFORGE_RNN_WORKSPACE_H

#include "blocking.h"
#include "layout.h"

typedef struct workspace_layout {
    int64_t panels[2];      /* the packed recurrent weights of each direction */
    int64_t input_panels[2]; /* the packed input weights */
    int64_t bias[2];        /* (gates * size,): the sum of both biases, per direction */
    int64_t gates;          /* without a reserve: (directions, buffered steps, batch, gates * size): the sums */
    int64_t cells;          /* (directions, steps, batch, size) */
    int64_t hidden;         /* (directions, buffered steps, batch, size) */
    int64_t above[2];       /* (steps, batch, directions * out): of the inputs of layers, alternating */
    int64_t d_gates[2];     /* (steps, batch, gates * size): gradients of the input parts of the sums */
    int64_t d_recurrent[2]; /* the same for their recurrent parts; d_gates if they are equal */
    int64_t d_first[2];     /* (batch, gates * size): of the first step of each sequence */
    int64_t d_state[2];     /* (batch, out): passed to the previous step */
    int64_t d_cell[2];      /* (batch, size) */
    int64_t d_out[2];       /* (steps, batch, out): of projected states */
    int64_t d_hidden[2];    /* (batch, size): of states before their projection */
    int64_t d_above[2];     /* (steps, batch, directions * out): of the inputs of layers, alternating */
    int64_t elements;       /* -1: overflows 64 bits */
} workspace_layout;

/* Allocate the panels, which come first because their vectors are aligned. */
static inline void allocate_panels(workspace_layout* r, rnn_layout* t, const rnn_shape* s, blocking b) {
    for (int64_t d = 0; d < s->set.directions; d++) r->panels[d] = rnn_allocate(t, b.blocks, b.panel, is_packed(s), 1);
}

/* The largest input size of a layer with packed input weights. */
static inline int64_t max_inputs(const rnn_shape* s) {
    int64_t above = s->set.layers > 1 ? s->set.directions * s->set.out : 0, most = 0;
    if (packs_inputs(s, s->input)) most = s->input;
    return packs_inputs(s, above) && above > most ? above : most;
}

/* Allocate the buffers that all layers reuse without a reserve. */
static inline void allocate_layers(workspace_layout* r, rnn_layout* t, const rnn_shape* shape) {
    const rnn_settings* s = &shape->set;
    int64_t buffered = buffered_steps(shape, shape->input), above = s->directions * s->out;
    if (s->layers > 1 && buffered_steps(shape, above) > buffered) buffered = buffered_steps(shape, above);
    r->gates = rnn_allocate(t, buffered, shape->batch, s->directions * s->gates, s->size);
    r->cells = rnn_allocate(t, shape->steps, shape->batch, s->directions * s->size, s->mode == RNN_LSTM);
    r->hidden = rnn_allocate(t, buffered, shape->batch, s->directions * s->size, rnn_stores_hidden(s));
    for (int i = 0; i < 2; i++) r->above[i] = rnn_allocate(t, shape->steps, shape->batch, above, s->layers > 1 + i);
}

static inline workspace_layout layout_forward(const rnn_shape* shape) {
    const rnn_settings* s = &shape->set;
    rnn_layout t = {0};
    workspace_layout r = {0};
    blocking b = forward_blocking(shape);
    allocate_panels(&r, &t, shape, b);
    for (int64_t d = 0; d < s->directions; d++) {
        r.input_panels[d] = rnn_allocate(&t, b.blocks, b.vectors * lanes_of(shape), max_inputs(shape), 1);
    }
    for (int64_t d = 0; d < s->directions; d++) r.bias[d] = rnn_allocate(&t, s->gates, s->size, 1, 1);
    if (!s->has_reserve) allocate_layers(&r, &t, shape);
    r.elements = rnn_total(&t);
    return r;
}

static inline workspace_layout layout_backward(const rnn_shape* shape) {
    const rnn_settings* s = &shape->set;
    int64_t steps = shape->steps, batch = shape->batch;
    rnn_layout t = {0};
    workspace_layout r = {0};
    allocate_panels(&r, &t, shape, backward_blocking(shape));
    for (int64_t d = 0; d < s->directions; d++) {
        r.d_gates[d] = r.d_recurrent[d] = rnn_allocate(&t, steps, batch, s->gates, s->size);
        if (s->mode == RNN_GRU) r.d_recurrent[d] = rnn_allocate(&t, steps, batch, s->gates, s->size);
        r.d_first[d] = rnn_allocate(&t, batch, s->gates, s->size, 1);
        r.d_state[d] = rnn_allocate(&t, batch, s->out, 1, 1);
        r.d_cell[d] = rnn_allocate(&t, batch, s->size, s->mode == RNN_LSTM, 1);
        r.d_out[d] = rnn_allocate(&t, steps, batch, s->out, s->projects);
        r.d_hidden[d] = rnn_allocate(&t, batch, s->size, s->projects, 1);
    }
    for (int i = 0; i < 2; i++) {
        r.d_above[i] = rnn_allocate(&t, steps, batch, s->directions * s->out, s->layers > 1 + i);
    }
    r.elements = rnn_total(&t);
    return r;
}

#endif
