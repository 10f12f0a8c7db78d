/* Steps of epilogues on runs of one channel, all in one pass. */
#include "finish.h"

#include <string.h>

#include "tile_finish.h"

enum { MOST_STEPS = 8, AT_ONCE = 8 }; /* fused steps; vectors in registers */

/* A step with its operand for one channel or block of channels. */
typedef struct run_step {
    int32_t kind, reverse;
    const float* full; /* an operand for each result; NULL: `other` for all */
    vec other;
} run_step;

/* Whether the operand is one block of channels, and the only one. */
static int is_of_only_block(const opforge_step* step, int64_t lanes) {
    return lanes > 1 && step->lanes == 1 && step->repeat == 1 && step->period == lanes;
}

int finish_supports(const opforge_step* step, int64_t plane, int64_t lanes) {
    int is_of_channels = (step->lanes == lanes && step->repeat % (plane * lanes) == 0) || is_of_only_block(step, lanes);
    if (step->operand == OPFORGE_OPERAND_VALUE) return 0;
    if (step->operand == OPFORGE_OPERAND_SPREAD && !is_of_channels) return 0;
    switch (step->kind) {
    case OPFORGE_STEP_ADD:
    case OPFORGE_STEP_SUBTRACT:
    case OPFORGE_STEP_MULTIPLY:
    case OPFORGE_STEP_MAXIMUM:
    case OPFORGE_STEP_MINIMUM:
    case OPFORGE_STEP_RELU: return 1;
    default: return 0;
    }
}

/* Whether a step that is fused here can be done on the sums of tiles. */
static int is_of_tiles(const opforge_step* step) {
    switch (step->kind) {
    case OPFORGE_STEP_ADD:
    case OPFORGE_STEP_RELU: return 1;
    case OPFORGE_STEP_MULTIPLY: return step->operand != OPFORGE_OPERAND_FULL;
    case OPFORGE_STEP_MAXIMUM:
    case OPFORGE_STEP_MINIMUM: return step->operand == OPFORGE_OPERAND_NUMBER && step->number == step->number;
    default: return 0;
    }
}

finish finish_of(opforge_call* call, int32_t wanted, const float* results, int64_t plane, int64_t lanes) {
    if (!wanted) return (finish){0};
    finish f = {call, results, lanes, call->n_epilogue <= MOST_STEPS};
    for (int32_t i = 0; i < call->n_epilogue; i++) f.fused &= finish_supports(&call->epilogue[i], plane, lanes);
    f.in_tiles = f.fused && lanes == LANES && call->n_epilogue <= TILE_STEPS;
    for (int32_t i = 0; i < call->n_epilogue; i++) f.in_tiles &= is_of_tiles(&call->epilogue[i]);
    return f;
}

/* The operands of a block of channels; if they are half of a vector, twice. */
static vec block_operands(const float* data, int64_t lanes) {
    float operands[LANES];
    for (int64_t at = 0; at < LANES; at += lanes) memcpy(operands + at, data, (size_t)lanes * sizeof(float));
    return V(load)(operands);
}

static run_step step_at(const finish* f, const opforge_step* step, int64_t position) {
    run_step run = {.kind = step->kind, .reverse = step->reverse};
    const float* data = (const float*)step->data;
    if (step->operand == OPFORGE_OPERAND_FULL) run.full = data + position;
    else if (step->operand != OPFORGE_OPERAND_SPREAD) run.other = V(splat)((float)step->number);
    else if (is_of_only_block(step, f->lanes)) run.other = block_operands(data, f->lanes);
    else if (step->lanes == 1) run.other = V(splat)(data[position / step->repeat % step->period]);
    else run.other = block_operands(data + position / step->repeat % step->period * f->lanes, f->lanes);
    return run;
}

tile_finish tile_finish_of(const finish* f, int vectors, const float* out, int64_t step) {
    tile_finish tiles = {.results = f->results};
    if (!f->in_tiles) return tiles;
    tiles.count = f->call->n_epilogue;
    for (int32_t i = 0; i < tiles.count; i++) {
        const opforge_step* from = &f->call->epilogue[i];
        tile_step* to = &tiles.steps[i];
        to->kind = from->kind;
        to->full = from->operand == OPFORGE_OPERAND_FULL ? (const float*)from->data : NULL;
        for (int v = 0; v < vectors; v++) to->other[v] = step_at(f, from, out + v * step - f->results).other;
    }
    return tiles;
}

/* Apply the steps to vectors of results; `n` are left, which are fewer than a vector only if there is one. */
OF_INLINE void run_vectors(const int vectors, const run_step* steps, int32_t count, float* y, int64_t at, int64_t n) {
    vec now[AT_ONCE], other[AT_ONCE];
#define LOAD(p) (vectors == 1 ? V(load_some)((p) + at, n) : V(load)((p) + at + i * LANES))
#define EACH(result)                                      \
    {                                                     \
        _Pragma("GCC unroll 8")                           \
        for (int i = 0; i < vectors; i++) result;         \
    }
    EACH(now[i] = LOAD(y))
    for (const run_step* step = steps; step < steps + count; step++) {
        if (step->full == NULL) EACH(other[i] = step->other)
        else EACH(other[i] = LOAD(step->full))
        finish_vectors(vectors, step->kind, step->reverse, now, other);
    }
    if (vectors == 1) V(store_some)(y + at, now[0], n);
    else EACH(V(store)(y + at + i * LANES, now[i]))
#undef EACH
#undef LOAD
}

void finish_run(const finish* f, float* y, int64_t n) {
    if (f->call == NULL) return;
    int64_t position = y - f->results, at = 0;
    int32_t count = f->call->n_epilogue;
    if (!f->fused) {
        f->call->host->epilogue(f->call, y, position, n);
        return;
    }
    run_step steps[MOST_STEPS];
    for (int32_t i = 0; i < count; i++) steps[i] = step_at(f, &f->call->epilogue[i], position);
    for (; at + AT_ONCE * LANES <= n; at += AT_ONCE * LANES) run_vectors(AT_ONCE, steps, count, y, at, n - at);
    for (; at < n; at += LANES) run_vectors(1, steps, count, y, at, n - at);
}
