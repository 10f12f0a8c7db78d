/* The steps of a call's epilogue on sums of float32, which are then rounded and stored: a row of a panel at a time. */
#ifndef OPFORGE_CONVOLUTION_BRAIN_FINISH_H
#define OPFORGE_CONVOLUTION_BRAIN_FINISH_H

#include "element.h"
#include "finish.h"

/* Adjacent columns of a panel whose results are adjacent: `n` from `at` on, at `offset` of their channel. */
typedef struct segment {
    int64_t at, n, offset;
} segment;

/* The segments of a panel. */
typedef struct segments {
    int64_t count;
    segment each[OF_BRAIN_COLUMNS];
} segments;

/* The operand of all results of a segment, at `position` of the array, unless the step reads one for each. */
OF_INLINE float brain_operand(const opforge_step* step, int64_t position) {
    const uint16_t* data = (const uint16_t*)step->data;
    if (step->operand != OPFORGE_OPERAND_SPREAD) return (float)step->number;
    return of_brain_to_float(data[position / step->repeat % step->period]);
}

/* Operands of a row whose columns are in several segments. */
static void brain_scattered_operands(const int vectors, const opforge_step* step, const segments* s, int64_t position,
                                     vec* other) {
    float row[OF_BRAIN_COLUMNS] = {0};
    for (const segment* part = s->each; part < s->each + s->count; part++) {
        const int64_t at = position + part->offset;
        const uint16_t* data = (const uint16_t*)step->data + at;
        const int is_full = step->operand == OPFORGE_OPERAND_FULL;
        const float number = is_full ? 0 : brain_operand(step, at);
        for (int64_t i = 0; i < part->n; i++) row[part->at + i] = is_full ? of_brain_to_float(data[i]) : number;
    }
    for (int v = 0; v < vectors; v++) other[v] = V(load)(row + v * LANES);
}

/* Apply all steps to the sums of a row, whose channel begins at `position` of the results. The number of vectors is a
 * constant after inlining. */
OF_INLINE void brain_finish_row(const int vectors, const opforge_call* call, const segments* s, int64_t position,
                                vec* sums) {
    const int64_t at = position + s->each[0].offset, n = s->each[0].n;
    for (const opforge_step* step = call->epilogue; step < call->epilogue + call->n_epilogue; step++) {
        vec other[OF_BRAIN_VECTORS];
        if (s->count > 1) {
            brain_scattered_operands(vectors, step, s, position, other);
        } else if (step->operand == OPFORGE_OPERAND_FULL) {
            const uint16_t* data = (const uint16_t*)step->data + at;
            for (int v = 0; v < vectors; v++) other[v] = load_some_elements(1, data + v * LANES, n - v * LANES);
        } else {
            const vec same = V(splat)(step->operand == OPFORGE_OPERAND_NONE ? 0 : brain_operand(step, at));
            for (int v = 0; v < vectors; v++) other[v] = same;
        }
        finish_vectors(vectors, step->kind, step->reverse, sums, other);
    }
}

/* Apply the epilogue of `call`, unless that is NULL, to the sums of a row, round them, and store them `step` elements
 * apart in the channel that begins at `out`, element `position` of the results. The number of vectors is a constant after
 * inlining. */
OF_INLINE void brain_store_row(const int vectors, const opforge_call* call, const segments* s, int64_t position,
                               const float* sums, uint16_t* out, int64_t step) {
    vec now[OF_BRAIN_VECTORS] = {{0}};
    uint16_t results[OF_BRAIN_COLUMNS];
    for (int v = 0; v < vectors; v++) now[v] = V(load)(sums + v * LANES);
    if (call != NULL) brain_finish_row(vectors, call, s, position, now);
    for (int v = 0; v < vectors; v += 2) _mm512_storeu_si512(results + v * LANES, of_round_pairs(now[v], now[v + 1]));
    for (const segment* part = s->each; part < s->each + s->count; part++) {
        uint16_t* to = out + part->offset;
        if (step == 1 && part->n == vectors * LANES) {
            memcpy(to, results, (size_t)vectors * LANES * sizeof *to); /* a few vectors */
        } else {
            for (int64_t i = 0; i < part->n; i++) to[i * step] = results[part->at + i];
        }
    }
}

/* Whether all steps of a call's epilogue are done here, on results with `plane` positions per channel. */
static inline int brain_finishes(const opforge_call* call, int64_t plane) {
    for (int32_t i = 0; i < call->n_epilogue; i++) {
        if (!finish_supports(&call->epilogue[i], plane, 1)) return 0;
    }
    return 1;
}

#endif
