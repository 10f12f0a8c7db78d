/* The call's epilogue on runs of results that a kernel has just written, while they are cached. Steps that usually
 * follow a convolution - a bias, scale and shift per channel, the addition of another result, relu, clipping - are
 * fused here; all others are done by the host, whose call costs more. */
#ifndef OPFORGE_CONVOLUTION_FINISH_H
#define OPFORGE_CONVOLUTION_FINISH_H

#include "conv.h"
#include "vec.h"

typedef struct finish {
    opforge_call* call; /* NULL: no epilogue */
    const void* results;
    int brain;     /* whether results and operands are bfloat16 */
    int64_t lanes; /* of a block of channels: LANES, half of them or 1 */
    int fused; /* whether its steps are fused here */
    int in_tiles; /* whether `tile_finish_of` returns all of them */
} finish;

OF_INLINE vec finish_larger(vec a, vec b) { return V(select)((a > b) | (a != a), a, b); }

OF_INLINE vec finish_smaller(vec a, vec b) { return V(select)((a < b) | (a != a), a, b); }

/* Apply a step that `finish_supports` to some vectors, with an operand for each. The number is a constant after
 * inlining, so that all stay in registers. */
OF_INLINE void finish_vectors(const int vectors, int32_t kind, int32_t reverse, vec* now, const vec* other) {
#define EACH(result)                                      \
    {                                                     \
        _Pragma("GCC unroll 8")                           \
        for (int i = 0; i < vectors; i++) now[i] = result; \
    }
    switch (kind) {
    case OPFORGE_STEP_ADD: EACH(now[i] + other[i]) break;
    case OPFORGE_STEP_SUBTRACT:
        if (reverse) EACH(other[i] - now[i])
        else EACH(now[i] - other[i])
        break;
    case OPFORGE_STEP_MULTIPLY: EACH(now[i] * other[i]) break;
    case OPFORGE_STEP_MAXIMUM: EACH(finish_larger(now[i], other[i])) break;
    case OPFORGE_STEP_MINIMUM: EACH(finish_smaller(now[i], other[i])) break;
    default: EACH(V(select)(now[i] < 0, (vec){0}, now[i]))
    }
#undef EACH
}

/* Whether a step is done here on results with `plane` positions per channel: its operand is a number, of the results'
 * shape, or constant in a channel or block of `lanes` channels. */
int finish_supports(const opforge_step* step, int64_t plane, int64_t lanes);

/* The epilogue of results with `plane` positions per channel; none if `wanted` is 0. `lanes` are those
 * of a block of channels, 1 for plain results. That of bfloat16 is applied by tiles or not at all. */
finish finish_of(opforge_call* call, int32_t wanted, const void* results, int64_t plane, int64_t lanes);

/* Whether the epilogue of a call on blocked results is done here, which that of bfloat16 is in tiles only. */
int finish_is_done(opforge_call* call, const conv_shape* s, int64_t lanes);

/* Apply the epilogue to `n` results from `y` on, of one channel or block of channels. */
void finish_run(const finish* f, float* y, int64_t n);

/* Apply it to rows of `n` results, `row` elements apart. */
static inline void finish_rows(const finish* f, float* y, int64_t rows, int64_t row, int64_t n) {
    for (int64_t r = 0; f->call != NULL && r < rows; r++) finish_run(f, y + r * row, n);
}

#endif
