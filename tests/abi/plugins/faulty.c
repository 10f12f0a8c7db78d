/* Operators with two float64 inputs and one bug each, which the battery must find. */
#include <opforge/module.h>
#include <stdlib.h>

static double* at(const opforge_tensor* t) { return (double*)t->data; }

/* The output has the shape and type of `x`; `y` is not checked. */
static int32_t infer(opforge_call* call) {
    opforge_like(&call->outputs[0], &call->inputs[0]);
    return OPFORGE_OK;
}

/* The same, and `y` is checked. */
static int32_t infer_checked(opforge_call* call) {
    const opforge_tensor *x = &call->inputs[0], *y = &call->inputs[1];
    if (x->ndim >= 0 && y->ndim >= 0) {
        int fits = x->ndim == y->ndim;
        for (int32_t axis = 0; fits && axis < x->ndim; axis++) fits = x->shape[axis] == y->shape[axis];
        if (!fits) return opforge_fail(call, OPFORGE_BAD_SHAPE, "y is not of the shape of x");
    }
    return infer(call);
}

static void multiply(double* out, const double* x, const double* y, int64_t n) {
    for (int64_t i = 0; i < n; i++) out[i] = x[i] * y[i];
}

static int32_t forward(opforge_call* call) {
    multiply(at(call->outputs), at(call->inputs), at(call->inputs + 1), opforge_count(call->inputs));
    return OPFORGE_OK;
}

static int32_t backward(opforge_call* call) {
    int64_t n = opforge_count(call->inputs);
    multiply(at(call->in_grads), at(call->out_grads), at(call->inputs + 1), n);
    multiply(at(call->in_grads + 1), at(call->out_grads), at(call->inputs), n);
    return OPFORGE_OK;
}

/* Writes one element too many, unless the array is empty. */
static int32_t forward_writes(opforge_call* call) {
    int64_t n = opforge_count(call->inputs);
    forward(call);
    if (n) ((volatile double*)call->outputs->data)[n] = 1;
    return OPFORGE_OK;
}

/* Reads the element before the first. */
static int32_t backward_reads(opforge_call* call) {
    if (opforge_count(call->inputs)) (void)((volatile double*)call->inputs[1].data)[-1];
    return backward(call);
}

/* Adds to the gradients instead of writing them. */
static int32_t backward_adds(opforge_call* call) {
    for (int64_t i = 0; i < opforge_count(call->inputs); i++) {
        at(call->in_grads)[i] += at(call->out_grads)[i] * at(call->inputs + 1)[i];
        at(call->in_grads + 1)[i] += at(call->out_grads)[i] * at(call->inputs)[i];
    }
    return OPFORGE_OK;
}

/* Writes far beyond the end. */
static int32_t forward_far(opforge_call* call) {
    int64_t n = opforge_count(call->inputs);
    forward(call);
    if (n) ((volatile double*)call->outputs->data)[n + 20000] = 1;
    return OPFORGE_OK;
}

/* Overwrites the gradient from above. */
static int32_t backward_spoils(opforge_call* call) {
    int32_t status = backward(call);
    if (opforge_count(call->inputs)) ((volatile double*)call->out_grads->data)[0] = 0;
    return status;
}

/* Leaks 64 KiB in each call. */
static int32_t forward_leaks(opforge_call* call) {
    void* volatile lost = malloc(65536);
    return lost == NULL ? OPFORGE_NO_MEMORY : forward(call);
}

/* Computes products in a buffer shared by all calls. */
static int32_t forward_shares(opforge_call* call) {
    static double room[1 << 13];
    int64_t n = opforge_count(call->inputs), most = sizeof room / sizeof *room;
    if (n > most) return forward(call);
    for (int times = 0; times < 500; times++) multiply(room, at(call->inputs), at(call->inputs + 1), n);
    for (int64_t i = 0; i < n; i++) at(call->outputs)[i] = room[i];
    return OPFORGE_OK;
}

/* Does not write the last element. */
static int32_t forward_leaves(opforge_call* call) {
    int64_t n = opforge_count(call->inputs);
    multiply(at(call->outputs), at(call->inputs), at(call->inputs + 1), n > 1 ? n - 1 : n);
    return OPFORGE_OK;
}

/* Returns a wrong result in every 500th call. */
static int32_t forward_counts(opforge_call* call) {
    static int calls;
    int32_t status = forward(call);
    if (++calls % 500 == 0 && opforge_count(call->inputs)) at(call->outputs)[0] += 1;
    return status;
}

static int32_t forward_aborts(opforge_call* call) {
    (void)call;
    abort();
}

/* Counts the calls in training in its state. */
static int32_t forward_counting(opforge_call* call) {
    if (call->is_train) at(call->states)[0] += 1;
    return forward(call);
}

/* Writes past the end of its state in training. */
static int32_t forward_past_state(opforge_call* call) {
    if (call->is_train) ((volatile double*)call->states->data)[opforge_count(call->states)] = 1;
    return forward(call);
}

/* Changes its state in predictions. */
static int32_t forward_predicting(opforge_call* call) {
    ((volatile double*)call->states->data)[0] = at(call->states)[0];
    return forward(call);
}

/* Reads the element before its state. */
static int32_t backward_before_state(opforge_call* call) {
    (void)((volatile double*)call->states->data)[-1];
    return backward(call);
}

/* Writes one element too many in training. */
static int32_t forward_trains(opforge_call* call) {
    return call->is_train ? forward_writes(call) : forward(call);
}

#define OPERATOR(id, infer_, forward_, backward_)                                                  \
    static const opforge_operator id = {.head = OPFORGE_HEAD(opforge_operator), .name = "faulty_" #id, \
                                        .infer = infer_, .forward = forward_, .backward = backward_}
OPERATOR(good, infer_checked, forward, backward);
OPERATOR(unchecked, infer, forward, backward);
OPERATOR(writes, infer_checked, forward_writes, backward);
OPERATOR(reads, infer_checked, forward, backward_reads);
OPERATOR(adds, infer_checked, forward, backward_adds);
OPERATOR(far, infer_checked, forward_far, backward);
OPERATOR(spoils, infer_checked, forward, backward_spoils);
OPERATOR(leaks, infer_checked, forward_leaks, backward);
OPERATOR(shares, infer_checked, forward_shares, backward);
OPERATOR(leaves, infer_checked, forward_leaves, backward);
OPERATOR(counts, infer_checked, forward_counts, backward);
OPERATOR(aborts, infer_checked, forward_aborts, backward);
OPERATOR(counting, infer_checked, forward_counting, backward);
OPERATOR(past_state, infer_checked, forward_past_state, backward);
OPERATOR(predicting, infer_checked, forward_predicting, backward);
OPERATOR(before_state, infer_checked, forward_counting, backward_before_state);
OPERATOR(trains, infer_checked, forward_trains, backward);

OPFORGE_MODULE(faulty, &good, &unchecked, &writes, &reads, &adds, &far, &spoils, &leaks, &shares, &leaves, &counts,
               &aborts, &counting, &past_state, &predicting, &before_state, &trains);
