/* Steps of epilogues on stretches of one channel. */
#include "finish.h"

static int is_done_here(const opforge_step* step, int64_t plane) {
    if (step->operand == OPFORGE_OPERAND_VALUE) return 0;
    if (step->operand == OPFORGE_OPERAND_SPREAD && (step->lanes != 1 || step->repeat % plane != 0)) return 0;
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

finish finish_of(opforge_call* call, int32_t wanted, const float* results, int64_t plane) {
    if (!wanted) return (finish){0};
    finish f = {call, results, 1};
    for (int32_t i = 0; i < call->n_epilogue; i++) f.here &= is_done_here(&call->epilogue[i], plane);
    return f;
}

static float larger(float a, float b) { return a > b || a != a ? a : b; }

static float smaller(float a, float b) { return a < b || a != a ? a : b; }

/* `b` has an element for each result (`each` 1) or one for all (0). */
static inline __attribute__((always_inline)) void run_step(int32_t kind, int reverse, float* y, int64_t n,
                                                           const float* b, const int each) {
    switch (kind) {
    case OPFORGE_STEP_ADD:
        for (int64_t i = 0; i < n; i++) y[i] += b[each * i];
        break;
    case OPFORGE_STEP_SUBTRACT:
        if (reverse) {
            for (int64_t i = 0; i < n; i++) y[i] = b[each * i] - y[i];
        } else {
            for (int64_t i = 0; i < n; i++) y[i] -= b[each * i];
        }
        break;
    case OPFORGE_STEP_MULTIPLY:
        for (int64_t i = 0; i < n; i++) y[i] *= b[each * i];
        break;
    case OPFORGE_STEP_MAXIMUM:
        for (int64_t i = 0; i < n; i++) y[i] = larger(y[i], b[each * i]);
        break;
    case OPFORGE_STEP_MINIMUM:
        for (int64_t i = 0; i < n; i++) y[i] = smaller(y[i], b[each * i]);
        break;
    default:
        for (int64_t i = 0; i < n; i++) y[i] = y[i] < 0 ? 0 : y[i];
    }
}

void finish_run(const finish* f, float* y, int64_t n) {
    if (f->call == NULL) return;
    int64_t position = y - f->results;
    if (!f->here) {
        f->call->host->epilogue(f->call, y, position, n);
        return;
    }
    for (int32_t i = 0; i < f->call->n_epilogue; i++) {
        const opforge_step* step = &f->call->epilogue[i];
        const float *data = (const float*)step->data, number = (float)step->number;
        if (step->operand == OPFORGE_OPERAND_FULL) {
            run_step(step->kind, step->reverse, y, n, data + position, 1);
        } else {
            int spread = step->operand == OPFORGE_OPERAND_SPREAD;
            const float one = spread ? data[position / step->repeat % step->period] : number;
            run_step(step->kind, step->reverse, y, n, &one, 0);
        }
    }
}
