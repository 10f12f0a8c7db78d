/* Steps of epilogues on runs of one channel. */
#include "finish.h"

#include "vec.h"

/* Whether a step is fused here: its operand is a number, of the results' shape, or constant in a channel or block. */
static int is_fused(const opforge_step* step, int64_t plane, int64_t lanes) {
    int is_of_channels = step->lanes == lanes && step->repeat % (plane * lanes) == 0;
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

finish finish_of(opforge_call* call, int32_t wanted, const float* results, int64_t plane, int64_t lanes) {
    if (!wanted) return (finish){0};
    finish f = {call, results, 1};
    for (int32_t i = 0; i < call->n_epilogue; i++) f.fused &= is_fused(&call->epilogue[i], plane, lanes);
    return f;
}

static float larger(float a, float b) { return a > b || a != a ? a : b; }

static float smaller(float a, float b) { return a < b || a != a ? a : b; }

/* `rows` rows of `n` results. `b` has an element for each of a row (`each` 1) or one for all (0). */
static inline __attribute__((always_inline)) void run_step(const opforge_step* step, float* y, int64_t rows, int64_t n,
                                                           const float* b, const int each) {
#define BECOMES(result)                                        \
    for (int64_t r = 0; r < rows; r++) {                       \
        for (int64_t i = 0; i < n; i++) {                      \
            float now = y[r * n + i], other = b[each * i];     \
            (void)other;                                       \
            y[r * n + i] = (result);                           \
        }                                                      \
    }
    switch (step->kind) {
    case OPFORGE_STEP_ADD: BECOMES(now + other) break;
    case OPFORGE_STEP_SUBTRACT:
        if (step->reverse) BECOMES(other - now)
        else BECOMES(now - other)
        break;
    case OPFORGE_STEP_MULTIPLY: BECOMES(now * other) break;
    case OPFORGE_STEP_MAXIMUM: BECOMES(larger(now, other)) break;
    case OPFORGE_STEP_MINIMUM: BECOMES(smaller(now, other)) break;
    default: BECOMES(now < 0 ? 0 : now)
    }
#undef BECOMES
}

void finish_run(const finish* f, float* y, int64_t n) {
    if (f->call == NULL) return;
    int64_t position = y - f->results;
    if (!f->fused) {
        f->call->host->epilogue(f->call, y, position, n);
        return;
    }
    for (int32_t i = 0; i < f->call->n_epilogue; i++) {
        const opforge_step* step = &f->call->epilogue[i];
        const float *data = (const float*)step->data, number = (float)step->number;
        if (step->operand == OPFORGE_OPERAND_FULL) {
            run_step(step, y, 1, n, data + position, 1);
        } else if (step->operand != OPFORGE_OPERAND_SPREAD) {
            run_step(step, y, 1, n, &number, 0);
        } else if (step->lanes == 1) {
            run_step(step, y, 1, n, data + position / step->repeat % step->period, 0);
        } else {
            float lanes[LANES]; /* lanes outside the results */
            memcpy(lanes, data + position / step->repeat % step->period * LANES, sizeof lanes);
            run_step(step, y, n / LANES, LANES, lanes, 1);
        }
    }
}
