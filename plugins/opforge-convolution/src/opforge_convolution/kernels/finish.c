/* Steps of epilogues on runs of one channel, all in one pass. */
#include "finish.h"

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

finish finish_of(opforge_call* call, int32_t wanted, const void* results, int64_t plane, int64_t lanes) {
    if (!wanted) return (finish){0};
    const int brain = call->outputs[0].dtype == OPFORGE_BFLOAT16;
    finish f = {call, results, brain, lanes, call->n_epilogue <= MOST_STEPS};
    for (int32_t i = 0; i < call->n_epilogue; i++) f.fused &= finish_supports(&call->epilogue[i], plane, lanes);
    f.in_tiles = f.fused && lanes == LANES && call->n_epilogue <= TILE_STEPS;
    for (int32_t i = 0; i < call->n_epilogue; i++) f.in_tiles &= is_of_tiles(&call->epilogue[i]);
    return f;
}

int finish_is_done(opforge_call* call, const conv_shape* s, int64_t lanes) {
    return s->dtype == OPFORGE_FLOAT32 || finish_of(call, 1, NULL, conv_volume(s->out), lanes).in_tiles;
}

static float operand_at(const finish* f, const opforge_step* step, int64_t at) {
    return f->brain ? of_brain_to_float(((const uint16_t*)step->data)[at]) : ((const float*)step->data)[at];
}

/* The operands of a block of channels; if they are half of a vector, twice. */
static vec block_operands(const finish* f, const opforge_step* step, int64_t first) {
    if (f->lanes == LANES) return load_elements(f->brain, element_at(f->brain, step->data, first));
    float operands[LANES];
    for (int64_t lane = 0; lane < LANES; lane++) operands[lane] = operand_at(f, step, first + lane % f->lanes);
    return V(load)(operands);
}

/* The operand of all results of the channel or block of channels at a position, unless the step reads one for each. */
static vec common_operand(const finish* f, const opforge_step* step, int64_t position) {
    if (step->operand != OPFORGE_OPERAND_SPREAD) return V(splat)((float)step->number);
    if (is_of_only_block(step, f->lanes)) return block_operands(f, step, 0);
    const int64_t index = position / step->repeat % step->period;
    return step->lanes == 1 ? V(splat)(operand_at(f, step, index)) : block_operands(f, step, index * f->lanes);
}

static run_step step_at(const finish* f, const opforge_step* step, int64_t position) {
    run_step run = {.kind = step->kind, .reverse = step->reverse};
    if (step->operand == OPFORGE_OPERAND_FULL) run.full = (const float*)step->data + position;
    else run.other = common_operand(f, step, position);
    return run;
}

tile_finish tile_finish_of(const finish* f, int vectors, const void* out, int64_t step) {
    tile_finish tiles = {.results = f->results};
    if (!f->in_tiles) return tiles;
    const int64_t first = ((const char*)out - (const char*)f->results) / (f->brain ? 2 : 4);
    tiles.count = f->call->n_epilogue;
    for (int32_t i = 0; i < tiles.count; i++) {
        const opforge_step* from = &f->call->epilogue[i];
        tile_step* to = &tiles.steps[i];
        to->kind = from->kind;
        to->full = from->operand == OPFORGE_OPERAND_FULL ? from->data : NULL;
        for (int v = 0; v < vectors && to->full == NULL; v++) to->other[v] = common_operand(f, from, first + v * step);
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
    int64_t position = y - (const float*)f->results, at = 0;
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
