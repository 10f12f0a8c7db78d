/* Steps of sequences moved to other places. A cell is what one sequence has at one step; every cell of the
 * result is one of the data or the filler. Any element type: cells are bytes. */
#ifndef SEQUENCE_STEPS_H
#define SEQUENCE_STEPS_H

#include <opforge/abi.h>

typedef enum movement { MASK, REVERSE, LAST, PUT_LAST } movement;

typedef struct moving {
    movement kind;
    int batch_first;
    int64_t from_steps, to_steps, batch, cell; /* the last one in bytes */
    const int64_t* lengths;                    /* NULL: every sequence has all steps */
    const char *from, *filler;
    char* to;
} moving;

/* The step of the data that belongs at step `at` of the result; -1: the filler. */
static inline int64_t source_of(movement kind, int64_t at, int64_t length) {
    switch (kind) {
    case MASK: return at < length ? at : -1;
    case REVERSE: return at < length ? length - 1 - at : at;
    case LAST: return length - 1;
    default: return at == length - 1 ? 0 : -1;
    }
}

/* Cells of one element are the most frequent ones beside long cells, for which a call costs nothing. */
static inline void copy_cell(char* to, const char* from, int64_t bytes) {
    if (bytes == 4) memcpy(to, from, 4);
    else if (bytes == 8) memcpy(to, from, 8);
    else memcpy(to, from, (size_t)bytes);
}

static int32_t move_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const moving* m = (const moving*)argument;
    int64_t steps = m->kind == PUT_LAST ? m->to_steps : m->from_steps;
    (void)worker;
    for (int64_t at = begin; at < end; at++) {
        int64_t sequence = m->batch_first ? at / m->to_steps : at % m->batch;
        int64_t step = m->batch_first ? at % m->to_steps : at / m->batch;
        int64_t length = m->lengths == NULL || m->lengths[sequence] > steps ? steps : m->lengths[sequence];
        int64_t source = source_of(m->kind, step, length);
        int64_t cell = m->batch_first ? sequence * m->from_steps + source : source * m->batch + sequence;
        copy_cell(m->to + at * m->cell, source < 0 ? m->filler : m->from + cell * m->cell, m->cell);
    }
    return OPFORGE_OK;
}

#endif
