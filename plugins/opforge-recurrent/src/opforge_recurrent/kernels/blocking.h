/* Blocking of steps with packed weights: each block of units is computed by one thread. */
#ifndef OPFORGE_RNN_BLOCKING_H
#define OPFORGE_RNN_BLOCKING_H

#include <opforge/tile.h>

#include "rnn.h"

enum {
    PANEL_VECTORS = 4,            /* vectors in a panel */
    MIN_PACKED_ROWS = 32,       /* rows of states over all steps; below, packing costs more than it saves */
    PART_WORK = 1 << 17,   /* multiplications of a step that are worth another thread */
    MIN_BLOCKS = 4,       /* with fewer blocks, threads are not balanced */
    MAX_PACKED_INPUTS = 1 << 12, /* input size; above, the weights are too large to be read in every step */
    BATCHED_ROWS = 128,    /* rows whose sums are initialized together, so that they are still cached at their steps */
};

typedef struct blocking {
    int64_t vectors; /* of a panel */
    int64_t units;   /* units of the state in a block */
    int64_t blocks;
    int64_t depth;   /* rows of a panel */
    int64_t panel;   /* its elements */
} blocking;

static inline blocking blocking_of(int64_t size, int64_t vectors, int64_t units, int64_t depth, int64_t lanes) {
    return (blocking){vectors, units, (size + units - 1) / units, depth, depth * vectors * lanes};
}

static inline int64_t lanes_of(const rnn_shape* s) { return OF_VECTOR_BYTES / opforge_item_size(s->dtype); }

/* One vector per gate of the same units; for cells with one gate, adjacent units. */
static inline blocking forward_blocking(const rnn_shape* s) {
    int64_t lanes = lanes_of(s), gates = s->set.gates;
    if (gates == 1) return blocking_of(s->set.size, PANEL_VECTORS, PANEL_VECTORS * lanes, s->set.out, lanes);
    return blocking_of(s->set.size, gates, lanes, s->set.out, lanes);
}

/* From the gradients of all pre-activations to those of adjacent states. */
static inline blocking backward_blocking(const rnn_shape* s) {
    int64_t lanes = lanes_of(s);
    return blocking_of(s->set.out, PANEL_VECTORS, PANEL_VECTORS * lanes, s->set.gates * s->set.size, lanes);
}

/* Projected states need two products per step, the second of which depends on all of the first. */
static inline int is_packed(const rnn_shape* s) {
    return s->steps > 1 && s->steps >= MIN_PACKED_ROWS / s->batch && !s->set.projects;
}

/* Whether the input weights are packed too. Otherwise one product initializes the sums of all steps. */
static inline int packs_inputs(const rnn_shape* s, int64_t input) {
    return is_packed(s) && forward_blocking(s).blocks >= MIN_BLOCKS && input <= MAX_PACKED_INPUTS;
}

static inline int64_t batched_steps(const rnn_shape* s) {
    return s->batch < BATCHED_ROWS ? BATCHED_ROWS / s->batch : 1;
}

/* The number of steps whose sums are stored; without a reserve, only those that are initialized together. */
static inline int64_t buffered_steps(const rnn_shape* s, int64_t input) {
    int64_t few = batched_steps(s);
    return s->set.has_reserve || !packs_inputs(s, input) || few > s->steps ? s->steps : few;
}

#endif
