/* Clip to [-1, 1], and keep the running share of clipped elements in a state of one element. */
#include <opforge/module.h>

/* Shapes and types of the output and of the state, from those of the data. */
static int32_t complete(opforge_call* call) {
    const opforge_tensor* x = &call->inputs[0];
    opforge_tensor* share = &call->states[0];
    if (x->dtype != OPFORGE_UNKNOWN && x->dtype != OPFORGE_FLOAT32 && x->dtype != OPFORGE_FLOAT64) {
        return opforge_fail(call, OPFORGE_BAD_DTYPE, "data has dtype %s; expected float32 or float64",
                            opforge_dtype_name(x->dtype));
    }
    opforge_like(&call->outputs[0], x);
    share->ndim = 1;
    share->shape[0] = 1;
    share->dtype = x->dtype;
    return OPFORGE_OK;
}

#define LOOPS(suffix, type)                                                                    \
    static void forward_##suffix(opforge_call* call, double momentum) {                        \
        const type* x = (const type*)call->inputs[0].data;                                     \
        type *y = (type*)call->outputs[0].data, *share = (type*)call->states[0].data;          \
        int64_t n = opforge_count(&call->inputs[0]), clipped = 0;                              \
        for (int64_t i = 0; i < n; i++) {                                                      \
            y[i] = x[i] > 1 ? 1 : x[i] < -1 ? -1 : x[i];                                       \
            clipped += x[i] > 1 || x[i] < -1;                                                  \
        }                                                                                      \
        if (call->is_train && n) {                                                             \
            share[0] = (type)(momentum * share[0] + (1 - momentum) * clipped / n);             \
        }                                                                                      \
    }                                                                                          \
    static void backward_##suffix(opforge_call* call) {                                        \
        const type *x = (const type*)call->inputs[0].data, *dy = (const type*)call->out_grads[0].data; \
        type* dx = (type*)call->in_grads[0].data;                                              \
        int64_t n = opforge_count(&call->inputs[0]);                                           \
        for (int64_t i = 0; i < n; i++) dx[i] = x[i] > 1 || x[i] < -1 ? 0 : dy[i];             \
    }
LOOPS(f32, float)
LOOPS(f64, double)

static int32_t forward(opforge_call* call) {
    double momentum = call->attributes[0].number;
    if (call->inputs[0].dtype == OPFORGE_FLOAT32) forward_f32(call, momentum);
    else forward_f64(call, momentum);
    return OPFORGE_OK;
}

static int32_t backward(opforge_call* call) {
    if (call->inputs[0].dtype == OPFORGE_FLOAT32) backward_f32(call);
    else backward_f64(call);
    return OPFORGE_OK;
}

static const opforge_operator clip_share = {
    .head = OPFORGE_HEAD(opforge_operator), .name = "clip_share",
    .complete = complete, .forward = forward, .backward = backward};

OPFORGE_MODULE(clip_share, &clip_share);
