/* The operators: plans, and the arrays of calls. */
#include "operator.h"

#include <opforge/float16.h>
#include <stdlib.h>

#include "settings.h"

/* -- plan ------------------------------------------------------------------------------------------------------- */

/* Check a length again: inference treats 0 as unknown. */
static int32_t check_input(opforge_call* call, int32_t input, int32_t axis, int64_t wanted) {
    if (input < 0 || call->inputs[input].shape[axis] == wanted) return OPFORGE_OK;
    return opforge_fail(call, OPFORGE_BAD_SHAPE, "axis %d of input %d is %lld; expected %lld", axis, input,
                        (long long)call->inputs[input].shape[axis], (long long)wanted);
}

static int32_t check_inputs(opforge_call* call, const rnn_shape* s) {
    int32_t status = check_input(call, 1, 0, rnn_parameters(&s->set, s->input));
    if (!status) status = check_input(call, 2, 1, s->batch);
    if (!status) status = check_input(call, rnn_input_cell(&s->set), 1, s->batch);
    if (!status) status = check_input(call, rnn_input_lengths(&s->set), 0, s->batch);
    return status;
}

static int32_t make_plan(opforge_call* call) {
    const int64_t* data = call->inputs[0].shape;
    rnn_shape s = {.set = *(const rnn_settings*)call->state, .steps = data[0], .batch = data[1], .input = data[2]};
    s.dtype = opforge_computed_in(call->inputs[0].dtype);
    int32_t status = check_inputs(call, &s);
    if (status) return status;
    int64_t bytes = 0;
    if (s.steps > 0 && s.batch > 0) {
        bytes = call->stage == OPFORGE_FORWARD ? rnn_forward_workspace(&s) : rnn_backward_workspace(&s);
    }
    if (bytes < 0) return opforge_fail(call, OPFORGE_NO_MEMORY, "its workspace exceeds 64 bits of memory");
    rnn_shape* plan = (rnn_shape*)malloc(sizeof *plan);
    if (plan == NULL) return OPFORGE_NO_MEMORY;
    *plan = s;
    call->plan = plan;
    call->workspace_bytes = bytes;
    return OPFORGE_OK;
}

static int32_t unplan(opforge_call* call) {
    free(call->plan);
    return OPFORGE_OK;
}

/* -- arrays ----------------------------------------------------------------------------------------------------- */

/* Read the lengths of the sequences; NULL if all have all steps. */
static int32_t read_lengths(opforge_call* call, const rnn_shape* s, const int64_t** lengths) {
    int32_t at = rnn_input_lengths(&s->set);
    *lengths = NULL;
    if (at < 0) return OPFORGE_OK;
    int64_t* found = (int64_t*)call->host->scratch(call, s->batch * (int64_t)sizeof *found);
    double* given = (double*)call->host->scratch(call, s->batch * (int64_t)sizeof *given);
    if (found == NULL || given == NULL) return OPFORGE_NO_MEMORY;
    int32_t status = OPFORGE_OK, type = call->inputs[at].dtype;
    if (type == OPFORGE_FLOAT64) memcpy(given, call->inputs[at].data, (size_t)s->batch * sizeof *given);
    else status = call->host->convert(call, type, call->inputs[at].data, OPFORGE_FLOAT64, given, s->batch);
    for (int64_t n = 0; n < s->batch && !status; n++) {
        if (!(given[n] >= 0 && given[n] <= (double)s->steps)) {
            return opforge_fail(call, OPFORGE_BAD_SHAPE, "sequence_length[%lld] is %g; expected 0 to %lld, the steps of data",
                                (long long)n, given[n], (long long)s->steps);
        }
        found[n] = (int64_t)given[n];
    }
    *lengths = found;
    return status;
}

static int32_t read_arrays(opforge_call* call, const rnn_shape* s, rnn_arrays* a) {
    int32_t cell = rnn_input_cell(&s->set);
    *a = (rnn_arrays){.data = call->inputs[0].data, .parameters = call->inputs[1].data, .state = call->inputs[2].data};
    a->cell = cell < 0 ? NULL : call->inputs[cell].data;
    a->out = call->outputs[0].data;
    a->reserve = s->set.has_reserve ? call->outputs[rnn_output_reserve(&s->set)].data : NULL;
    a->workspace = (char*)call->workspace;
    return read_lengths(call, s, &a->lengths);
}

/* -- no steps, or no sequences --------------------------------------------------------------------------------------- */

static void copy_or_clear(const opforge_tensor* from, const opforge_tensor* to) {
    if (to->data == NULL || to->byte_size == 0) return;
    if (from == NULL || from->data == NULL) memset(to->data, 0, (size_t)to->byte_size);
    else memcpy(to->data, from->data, (size_t)to->byte_size);
}

/* Return the initial states as the last states. */
static int32_t forward_empty(opforge_call* call, const rnn_settings* s) {
    int32_t cell = rnn_output_cell(s);
    if (s->has_states) copy_or_clear(&call->inputs[2], &call->outputs[1]);
    if (cell >= 0) copy_or_clear(&call->inputs[rnn_input_cell(s)], &call->outputs[cell]);
    return OPFORGE_OK;
}

static int32_t backward_empty(opforge_call* call, const rnn_settings* s) {
    int32_t cell = rnn_output_cell(s);
    for (int32_t i = 0; i < call->n_inputs; i++) {
        const opforge_tensor* head = NULL;
        if (i == 2 && s->has_states) head = &call->out_grads[1];
        if (i == 3 && cell >= 0) head = &call->out_grads[cell];
        copy_or_clear(head, &call->in_grads[i]);
    }
    return OPFORGE_OK;
}

/* -- forward and backward ------------------------------------------------------------------------------------------ */

static int32_t forward(opforge_call* call) {
    const rnn_shape* s = (const rnn_shape*)call->plan;
    int32_t last_cell = rnn_output_cell(&s->set);
    if (opforge_is_half(call->inputs[0].dtype)) return opforge_in_float32(call, forward);
    if (s->steps == 0 || s->batch == 0) return forward_empty(call, &s->set);
    rnn_arrays a;
    int32_t status = read_arrays(call, s, &a);
    if (status) return status;
    a.last_state = s->set.has_states ? call->outputs[1].data : NULL;
    a.last_cell = last_cell < 0 ? NULL : call->outputs[last_cell].data;
    if (!s->set.has_reserve) return rnn_forward(call, s, &a);
    if (call->is_train && s->set.p > 0 && s->set.layers > 1) a.key = call->host->random_key(call) | 1;
    memcpy(a.reserve, &a.key, sizeof a.key);
    return rnn_forward(call, s, &a);
}

static int32_t backward(opforge_call* call) {
    const rnn_shape* s = (const rnn_shape*)call->plan;
    int32_t cell = rnn_input_cell(&s->set), lengths = rnn_input_lengths(&s->set), last_cell = rnn_output_cell(&s->set);
    if (opforge_is_half(call->inputs[0].dtype)) return opforge_in_float32(call, backward);
    if (s->steps == 0 || s->batch == 0) return backward_empty(call, &s->set);
    rnn_arrays a;
    int32_t status = read_arrays(call, s, &a);
    if (status) return status;
    if (lengths >= 0) copy_or_clear(NULL, &call->in_grads[lengths]);
    memcpy(&a.key, a.reserve, sizeof a.key);
    a.d_out = call->out_grads[0].data;
    a.d_last_state = s->set.has_states ? call->out_grads[1].data : NULL;
    a.d_last_cell = last_cell < 0 ? NULL : call->out_grads[last_cell].data;
    a.d_data = call->in_grads[0].data;
    a.d_parameters = call->in_grads[1].data;
    a.d_state = call->in_grads[2].data;
    a.d_cell = cell < 0 ? NULL : call->in_grads[cell].data;
    return rnn_backward(call, s, &a);
}

const opforge_operator rnn_operator = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "RNN",
    .create = rnn_create,
    .destroy = rnn_destroy,
    .complete = rnn_complete,
    .plan = make_plan,
    .unplan = unplan,
    .forward = forward,
    .backward = backward,
    .flags = OPFORGE_WANTED | OPFORGE_RANDOM,
};

const opforge_operator rnn_prediction_operator = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "_RNN_prediction",
    .create = rnn_create_predicting,
    .destroy = rnn_destroy,
    .complete = rnn_complete,
    .plan = make_plan,
    .unplan = unplan,
    .forward = forward,
};
