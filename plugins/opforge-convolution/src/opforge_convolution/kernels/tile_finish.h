/* Steps of an epilogue on the sums of a tile, in registers before they are stored. Only steps that usually follow a
 * convolution on blocks are done here; other epilogues run on stored results (`finish_run`). */
#ifndef OPFORGE_CONVOLUTION_TILE_FINISH_H
#define OPFORGE_CONVOLUTION_TILE_FINISH_H

#include "element.h"
#include "finish.h"

enum { TILE_VECTORS = 2, TILE_STEPS = 6 }; /* most vectors of channels in a tile; most steps */

typedef struct tile_step {
    int32_t kind;
    const void* full;        /* an operand for each result; NULL: `other` */
    vec other[TILE_VECTORS]; /* operands of the vectors of channels */
} tile_step;

/* The steps for some vectors of channels of one image. */
typedef struct tile_finish {
    int32_t count;
    const void* results; /* the first of all results, at the offset of which `full` begins */
    tile_step steps[TILE_STEPS];
} tile_finish;

/* The steps for `vectors` vectors of channels, whose results begin at `out`, `step` elements apart; no steps if the
 * epilogue cannot be done in tiles. */
tile_finish tile_finish_of(const finish* f, int vectors, const void* out, int64_t step);

/* Apply the steps to the sums of adjacent positions; those of a position's vectors are adjacent. The results at `out`
 * are `out_step` elements apart between vectors. */
OF_INLINE void finish_tile(const int brain, const int vectors, const int positions, const tile_finish* f, const void* out,
                           int64_t out_step, vec* sums) {
#define EACH_SUM(result)                                                \
    {                                                                   \
        _Pragma("GCC unroll 16")                                        \
        for (int p = 0; p < positions; p++) {                           \
            _Pragma("GCC unroll 2")                                     \
            for (int v = 0; v < vectors; v++) {                         \
                const vec now = sums[p * vectors + v];                  \
                sums[p * vectors + v] = result;                         \
            }                                                           \
        }                                                               \
    }
    const int64_t at = (const char*)out - (const char*)f->results;
    for (const tile_step* step = f->steps; step < f->steps + f->count; step++) {
        const vec* other = step->other;
        switch (step->kind) {
        case OPFORGE_STEP_ADD:
            if (step->full == NULL) EACH_SUM(now + other[v])
            else EACH_SUM(now + load_elements(brain, element_at(brain, (const char*)step->full + at, v * out_step + p * LANES)))
            break;
        case OPFORGE_STEP_MULTIPLY: EACH_SUM(now * other[v]) break;
        /* The number is not NaN; max and the comparison return `now` if it is. */
        case OPFORGE_STEP_MAXIMUM: EACH_SUM(V(max)(other[v], now)) break;
        case OPFORGE_STEP_MINIMUM: EACH_SUM(V(select)(other[v] < now, other[v], now)) break;
        default: EACH_SUM(V(max)((vec){0}, now)) /* relu */
        }
    }
#undef EACH_SUM
}

#endif
