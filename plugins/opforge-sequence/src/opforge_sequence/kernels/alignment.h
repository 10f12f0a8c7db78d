/* Arguments of a CTC call: labels, lengths and arrays of a batch of sequences. */
#ifndef SEQUENCE_ALIGNMENT_H
#define SEQUENCE_ALIGNMENT_H

#include <math.h>
#include <opforge/abi.h>

/* The states of an alignment are the labels with blanks between them and at both ends. At each step the
 * alignment stays, advances to the next state, or skips a blank between different labels. */
typedef struct alignment {
    int64_t steps, batch, classes, most_labels, blank;
    const int64_t *labels, *n_labels, *n_steps; /* (batch, most_labels), (batch,), (batch,) */
    const void *data, *heads;                   /* (steps, batch, classes); (batch,), gradients of the losses */
    void *losses, *grad;                        /* outputs of forward and backward */
    double* kept;                               /* (batch, kept_stride) or NULL; row: is saved, log sums, alphas */
    int64_t kept_stride;
    int keeps;
} alignment;

typedef struct states {
    const int64_t* labels;
    int64_t n, blank; /* n: 2 * labels + 1 */
} states;

static inline states states_of(const alignment* a, int64_t sequence) {
    return (states){a->labels + sequence * a->most_labels, 2 * a->n_labels[sequence] + 1, a->blank};
}

static inline int64_t class_of(const states* s, int64_t state) { return state & 1 ? s->labels[state >> 1] : s->blank; }

/* Return whether an alignment may reach a state from the state two before it. */
static inline int may_skip(const states* s, int64_t state) {
    return (state & 1) && state > 1 && s->labels[state >> 1] != s->labels[(state >> 1) - 1];
}

/* Return the number of steps of a sequence, or 0 if they are too few for its labels and the blanks between equal
 * neighbors; such a sequence has loss 0, as in MXNet. */
static inline int64_t usable_steps(const alignment* a, const states* s, int64_t sequence) {
    int64_t needed = s->n >> 1, steps = a->n_steps[sequence];
    for (int64_t i = 1; i < s->n >> 1; i++) needed += s->labels[i] == s->labels[i - 1];
    return needed <= steps ? steps : 0;
}

#endif
