/* Copying of the steps of sequences. A cell is the data of one sequence at one step; every cell of the result
 * is a cell of the data or the filler. Cells are bytes, so any element type works. */
#ifndef SEQUENCE_STEPS_H
#define SEQUENCE_STEPS_H

#include <opforge/abi.h>

typedef enum movement { MASK, REVERSE, LAST, PUT_LAST } movement;

typedef struct moving {
    movement kind;
    int batch_first;
    int64_t from_steps, to_steps, batch, cell; /* cell: size in bytes */
    const int64_t* lengths;                    /* NULL: all steps are valid */
    const char *from, *filler;
    char* to;
} moving;

/* Return the step of the data to copy to step `step` of the result, or -1 for the filler. */
static inline int64_t source_of(movement kind, int64_t step, int64_t length) {
    switch (kind) {
    case MASK: return step < length ? step : -1;
    case REVERSE: return step < length ? length - 1 - step : step;
    case LAST: return length - 1;
    default: return step == length - 1 ? 0 : -1;
    }
}

/* Avoid the call of memcpy for cells of one element; for long cells its cost is negligible. */
static inline void copy_cell(char* to, const char* from, int64_t bytes) {
    if (bytes == 4) memcpy(to, from, 4);
    else if (bytes == 8) memcpy(to, from, 8);
    else memcpy(to, from, (size_t)bytes);
}

static int32_t move_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const moving* m = (const moving*)argument;
    int64_t steps = m->kind == PUT_LAST ? m->to_steps : m->from_steps;
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        int64_t sequence = m->batch_first ? i / m->to_steps : i % m->batch;
        int64_t step = m->batch_first ? i % m->to_steps : i / m->batch;
        int64_t length = m->lengths == NULL || m->lengths[sequence] > steps ? steps : m->lengths[sequence];
        int64_t source = source_of(m->kind, step, length);
        int64_t cell = m->batch_first ? sequence * m->from_steps + source : source * m->batch + sequence;
        copy_cell(m->to + i * m->cell, source < 0 ? m->filler : m->from + cell * m->cell, m->cell);
    }
    return OPFORGE_OK;
}

#endif
