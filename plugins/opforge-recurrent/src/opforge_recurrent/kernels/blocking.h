/* How steps with packed weights are divided: into blocks of units, that one thread each takes. */
#ifndef OPFORGE_RNN_BLOCKING_H
#define OPFORGE_RNN_BLOCKING_H

#include "rnn.h"

/* Bytes of a vector; the most rows of a tile of one vector, beside whose sums there is room for what is multiplied;
 * and the numbers of rows and of vectors that there are tiles of. */
#if defined(__AVX512F__)
enum { VECTOR_BYTES = 64, SUMS = 24, MOST_ROWS = 8 };
#define EACH_TILE(M) M(1, 3) M(2, 3) M(3, 3) M(4, 3) M(5, 3) M(6, 3) M(7, 3) M(8, 3) M(1, 4) M(2, 4) M(3, 4) M(4, 4) M(5, 4) M(6, 4)
#else
#if defined(__AVX2__)
enum { VECTOR_BYTES = 32, SUMS = 12, MOST_ROWS = 4 };
#else
enum { VECTOR_BYTES = 16, SUMS = 12, MOST_ROWS = 4 };
#endif
#define EACH_TILE(M) M(1, 3) M(2, 3) M(3, 3) M(4, 3) M(1, 4) M(2, 4) M(3, 4)
#endif

enum {
    WIDEST = 4,            /* vectors of a panel */
    LEAST_ROWS = 32,       /* of states in all steps: with fewer, packing costs more than it brings */
    PART_WORK = 1 << 17,   /* multiplications of a step that are worth another thread */
    EVEN_BLOCKS = 4,       /* fewer are not shared evenly by threads */
    MOST_INPUTS = 1 << 12, /* of a step: more weights of the data are too many to be read so often */
    ROWS_AT_ONCE = 128,    /* whose sums are begun at once: they stay in a cache until their steps come */
};

typedef struct blocking {
    int64_t vectors; /* of a panel */
    int64_t units;   /* of the state, which a block has */
    int64_t blocks;
    int64_t depth;   /* rows of a panel */
    int64_t panel;   /* its elements */
} blocking;

static inline blocking blocking_of(int64_t size, int64_t vectors, int64_t units, int64_t depth, int64_t lanes) {
    return (blocking){vectors, units, (size + units - 1) / units, depth, depth * vectors * lanes};
}

static inline int64_t lanes_of(const rnn_shape* s) { return VECTOR_BYTES / opforge_item_size(s->dtype); }

/* A vector for each gate of the same units; of cells with one gate, units that lie side by side. */
static inline blocking forward_blocking(const rnn_shape* s) {
    int64_t lanes = lanes_of(s), gates = s->set.gates;
    if (gates == 1) return blocking_of(s->set.size, WIDEST, WIDEST * lanes, s->set.out, lanes);
    return blocking_of(s->set.size, gates, lanes, s->set.out, lanes);
}

/* From the gradients of all sums to those of states side by side. */
static inline blocking backward_blocking(const rnn_shape* s) {
    int64_t lanes = lanes_of(s);
    return blocking_of(s->set.out, WIDEST, WIDEST * lanes, s->set.gates * s->set.size, lanes);
}

/* Projected states take two products a step, the second of which needs all of the first. */
static inline int is_packed(const rnn_shape* s) {
    return s->steps > 1 && s->steps >= LEAST_ROWS / s->batch && !s->set.projects;
}

/* Whether the weights of what a layer reads are packed too. Else the sums of all steps begin with one product. */
static inline int packs_inputs(const rnn_shape* s, int64_t input) {
    return is_packed(s) && forward_blocking(s).blocks >= EVEN_BLOCKS && input <= MOST_INPUTS;
}

static inline int64_t steps_at_once(const rnn_shape* s) {
    return s->batch < ROWS_AT_ONCE ? ROWS_AT_ONCE / s->batch : 1;
}

/* Of how many steps the sums have memory: where nobody reads them again, of those that are begun at once. */
static inline int64_t steps_held(const rnn_shape* s, int64_t input) {
    int64_t few = steps_at_once(s);
    return s->set.keeps || !packs_inputs(s, input) || few > s->steps ? s->steps : few;
}

#endif
