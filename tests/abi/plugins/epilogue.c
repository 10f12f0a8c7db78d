/* Operators with an epilogue: by `host->epilogue`, by hand, by a matrix product, and not at all. */
#include <opforge/module.h>

static int32_t like_first(opforge_call* call) {
    opforge_like(&call->outputs[0], &call->inputs[0]);
    return OPFORGE_OK;
}

/* -- doubled: 2 x, finished in parts of any length ------------------------------------------------------ */

static int32_t doubled_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    opforge_call* call = (opforge_call*)argument;
    const opforge_tensor *x = &call->inputs[0], *y = &call->outputs[0];
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        if (x->dtype == OPFORGE_FLOAT32) ((float*)y->data)[i] = 2 * ((const float*)x->data)[i];
        else ((double*)y->data)[i] = 2 * ((const double*)x->data)[i];
    }
    return call->host->epilogue(call, (char*)y->data + begin * opforge_item_size(y->dtype), begin, end - begin);
}

static int32_t doubled_forward(opforge_call* call) {
    int64_t steps = call->plan == NULL ? 0 : *(const int32_t*)call->plan;
    if (steps != call->n_epilogue) return opforge_fail(call, OPFORGE_ERROR, "the plan is of %d steps", (int)steps);
    return call->host->parallel(call, opforge_count(&call->outputs[0]), 7, 0, doubled_part, call);
}

/* The plan is the number of steps, which have no data yet. */
static int32_t doubled_plan(opforge_call* call) {
    static const int32_t counts[17] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    for (int32_t k = 0; k < call->n_epilogue; k++) {
        if (call->epilogue[k].data != NULL) return opforge_fail(call, OPFORGE_ERROR, "plan sees data");
    }
    call->plan = (void*)&counts[call->n_epilogue];
    return OPFORGE_OK;
}

/* -- by_hand: 2 x of float64, its steps as abi.h describes them ----------------------------------------- */

static double operand_of(const opforge_step* step, const double* values, int64_t i) {
    const double* data = (const double*)step->data;
    switch (step->operand) {
    case OPFORGE_OPERAND_NUMBER: return step->number;
    case OPFORGE_OPERAND_FULL: return data[i];
    case OPFORGE_OPERAND_SPREAD: return data[i / step->repeat % step->period * step->lanes + i % step->lanes];
    default: return values[step->value];
    }
}

static double after(const opforge_step* step, double y, double b) {
    switch (step->kind) {
    case OPFORGE_STEP_ADD: return y + b;
    case OPFORGE_STEP_SUBTRACT: return step->reverse ? b - y : y - b;
    case OPFORGE_STEP_MULTIPLY: return y * b;
    case OPFORGE_STEP_MAXIMUM: return y > b ? y : b;
    default: return y < 0 ? 0 : y;
    }
}

static int32_t by_hand_forward(opforge_call* call) {
    const double* x = (const double*)call->inputs[0].data;
    double values[16];
    for (int64_t i = 0; i < opforge_count(&call->inputs[0]); i++) {
        double y = 2 * x[i];
        for (int32_t k = 0; k < call->n_epilogue; k++) {
            values[k] = y;
            y = after(&call->epilogue[k], y, operand_of(&call->epilogue[k], values, i));
        }
        ((double*)call->outputs[0].data)[i] = y;
    }
    return OPFORGE_OK;
}

/* Reads a vector as if it were an array like the result. */
static int32_t overreads_forward(opforge_call* call) {
    const double* x = (const double*)call->inputs[0].data;
    for (int64_t i = 0; i < opforge_count(&call->inputs[0]); i++) {
        double y = 2 * x[i];
        for (int32_t k = 0; k < call->n_epilogue; k++) y += ((const double*)call->epilogue[k].data)[i];
        ((double*)call->outputs[0].data)[i] = y;
    }
    return OPFORGE_OK;
}

/* -- product: batches of x (count, m, k) times w (k, n), finished by gemm -------------------------------- */

static int32_t product_infer(opforge_call* call) {
    opforge_like(&call->outputs[0], &call->inputs[0]);
    if (call->inputs[0].ndim == 3) call->outputs[0].shape[2] = call->inputs[1].shape[1];
    return OPFORGE_OK;
}

static int32_t product_forward(opforge_call* call) {
    const opforge_tensor *x = &call->inputs[0], *y = &call->outputs[0];
    opforge_gemm p = opforge_matmul(y->dtype, x->shape[1], y->shape[2], x->shape[2], x->data, call->inputs[1].data, y->data);
    p.count = x->shape[0];
    p.a_next = x->shape[1] * x->shape[2];
    p.c_next = x->shape[1] * y->shape[2];
    p.epilogue = 1;
    return call->host->gemm(call, &p);
}

/* -- invalid calls --------------------------------------------------------------------------------------- */

static int32_t forgetful_forward(opforge_call* call) {
    memcpy(call->outputs[0].data, call->inputs[0].data, (size_t)call->outputs[0].byte_size);
    return OPFORGE_OK;
}

/* Results of `host->epilogue` and `gemm` for positions that are not in the result. */
static int32_t beyond_forward(opforge_call* call) {
    const opforge_tensor* y = &call->outputs[0];
    int64_t n = opforge_count(y), what = opforge_find(call, "what")->integer;
    static const int64_t places[6][2] = {{-1, 1}, {0, -1}, {1, INT64_MAX}, {INT64_MAX, 1}, {0, 1000000}, {1000000, 0}};
    opforge_gemm p = opforge_matmul(y->dtype, 1, n, 0, NULL, NULL, y->data);
    memset(y->data, 0, (size_t)y->byte_size);
    p.epilogue = 1;
    switch (what) {
    case 6: p.c = call->workspace; break;
    case 7: p.c = (char*)y->data + y->byte_size; break;
    case 8: p.count = 2, p.c_next = n; break;
    case 9: p.c_next = -1; break;
    case 10: p.m = 2; break;
    case 11: p.dtype = OPFORGE_FLOAT64; break;
    default: return call->host->epilogue(call, y->data, places[what][0], places[what][1]);
    }
    return call->host->gemm(call, &p);
}

static int32_t beyond_plan(opforge_call* call) {
    call->workspace_bytes = 4096;
    return OPFORGE_OK;
}

/* -- the library ------------------------------------------------------------------------------------------- */

#define OPERATOR(op, ...) \
    static const opforge_operator op = {.head = OPFORGE_HEAD(opforge_operator), .name = "abi_" #op, __VA_ARGS__};

OPERATOR(doubled, .infer = like_first, .plan = doubled_plan, .forward = doubled_forward)
OPERATOR(by_hand, .infer = like_first, .forward = by_hand_forward)
OPERATOR(overreads, .infer = like_first, .forward = overreads_forward)
OPERATOR(product, .infer = product_infer, .forward = product_forward)
OPERATOR(forgetful, .infer = like_first, .forward = forgetful_forward)
OPERATOR(beyond, .infer = like_first, .plan = beyond_plan, .forward = beyond_forward)

OPFORGE_MODULE(epilogue, &doubled, &by_hand, &overreads, &product, &forgetful, &beyond);
