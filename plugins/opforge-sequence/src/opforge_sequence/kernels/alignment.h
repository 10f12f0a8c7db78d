/* What a call of CTC is about: which classes each sequence has, and for how long. */
#ifndef SEQUENCE_ALIGNMENT_H
#define SEQUENCE_ALIGNMENT_H

#include <math.h>
#include <opforge/abi.h>

/* Labels with a blank between each two and at both ends are the states that an alignment goes through, one
 * for each step: it stays, or takes the next one, or leaves out a blank between labels that differ. */
typedef struct alignment {
    int64_t steps, batch, classes, most_labels, blank;
    const int64_t *labels, *n_labels, *n_steps; /* (batch, most_labels); of each sequence */
    const void *data, *heads;                   /* (steps, batch, classes); heads: of the losses */
    void *losses, *grad;                        /* of forward and of backward */
    double* kept;                               /* (batch, room): whether it is kept; log sums, alphas. Or NULL */
    int64_t room;
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

/* May an alignment come to a state from the one before the last? */
static inline int may_skip(const states* s, int64_t state) {
    return (state & 1) && state > 1 && s->labels[state >> 1] != s->labels[(state >> 1) - 1];
}

/* The steps of a sequence; 0 if they are too few for its labels, and for a blank between equal neighbours:
 * such a sequence has no loss, as in MXNet. */
static inline int64_t usable_steps(const alignment* a, const states* s, int64_t sequence) {
    int64_t needed = s->n >> 1, steps = a->n_steps[sequence];
    for (int64_t at = 1; at < s->n >> 1; at++) needed += s->labels[at] == s->labels[at - 1];
    return needed <= steps ? steps : 0;
}

#endif
