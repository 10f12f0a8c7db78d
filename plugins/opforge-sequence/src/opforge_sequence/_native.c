/* Sequence operators: reading and checking of lengths and labels, selection of kernels, and the library. */
#include <opforge/module.h>
#include <opforge/float16.h>
#include <tgmath.h>

#include "kernels/alignment.h"
#include "kernels/steps.h"

enum { PART = 16384 }; /* minimum number of bytes that a part of a loop moves */

static const double UNLIMITED = 9e15; /* above any number of steps */

#define T float
#define NAME(name) name##_f32
#include "kernels/ctc.h"
#undef T
#undef NAME

#define T double
#define NAME(name) name##_f64
#include "kernels/ctc.h"

/* -- lengths and labels ---------------------------------------------------------------------------------- */

/* Fail because an element of an input is outside [least, most]. */
static int32_t fail_range(opforge_call* call, const char* name, double number, int64_t index, double least,
                          double most) {
    char limit[32] = "";
    if (most < UNLIMITED) snprintf(limit, sizeof limit, " and at most %.0f", most);
    return opforge_fail(call, OPFORGE_ERROR, "input '%s' has %g at %lld; expected at least %.0f%s", name, number,
                        (long long)index, least, limit);
}

/* Return the elements of an input rounded by `to_integer`, or NULL if out of memory. NaN stays NaN. */
static double* read_integers(opforge_call* call, const opforge_tensor* given, double (*to_integer)(double)) {
    int64_t n = opforge_count(given);
    double* values = (double*)call->host->scratch(call, (n + 1) * (int64_t)sizeof *values);
    if (values == NULL || n == 0) return values;
    if (call->host->convert(call, given->dtype, given->data, OPFORGE_FLOAT64, values, n)) return NULL;
    for (int64_t i = 0; i < n; i++) values[i] = to_integer(values[i]);
    return values;
}

/* Set `lengths` to the elements of an input, one per sequence; fail unless they are in [least, most]. */
static int32_t read_lengths(opforge_call* call, int32_t input, const char* name, double least, double most,
                            int64_t** lengths) {
    const opforge_tensor* given = &call->inputs[input];
    int64_t n = opforge_count(given);
    double* values = read_integers(call, given, trunc);
    *lengths = (int64_t*)call->host->scratch(call, (n + 1) * (int64_t)sizeof **lengths);
    if (values == NULL || *lengths == NULL) return OPFORGE_NO_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        if (!(values[i] >= least && values[i] <= most)) return fail_range(call, name, values[i], i, least, most);
        (*lengths)[i] = (int64_t)values[i];
    }
    return OPFORGE_OK;
}

/* -- steps --------------------------------------------------------------------------------------------- */

/* Return a cell filled with the attribute `value`, or NULL if out of memory. */
static char* filler_of(opforge_call* call, int64_t bytes) {
    const opforge_attribute* value = opforge_find(call, "value");
    double number = value == NULL ? 0 : value->number;
    opforge_dtype dtype = call->outputs[0].dtype;
    int64_t item = opforge_item_size(dtype);
    char* cell = (char*)call->host->scratch(call, bytes + item);
    if (cell == NULL || call->host->convert(call, OPFORGE_FLOAT64, &number, dtype, cell, 1)) return NULL;
    for (int64_t offset = item; offset < bytes; offset += item) memcpy(cell + offset, cell, (size_t)item);
    return cell;
}

static int32_t move(opforge_call* call, movement kind, double least, double most) {
    const opforge_tensor *data = &call->inputs[0], *out = &call->outputs[0];
    int64_t axis = opforge_find(call, "axis")->integer;
    moving m = {.kind = kind, .batch_first = axis == 1, .from_steps = kind == PUT_LAST ? 1 : data->shape[axis],
                .to_steps = kind == LAST ? 1 : out->shape[axis], .from = data->data, .to = out->data};
    if (out->byte_size == 0) return OPFORGE_OK;
    int64_t* lengths = NULL;
    int32_t status = call->n_inputs > 1 ? read_lengths(call, 1, "sequence_length", least, most, &lengths) : OPFORGE_OK;
    if (status) return status;
    m.lengths = lengths;
    m.batch = kind == LAST ? out->shape[0] : out->shape[1 - axis];
    int64_t cells = m.batch * m.to_steps;
    m.cell = out->byte_size / cells;
    m.filler = filler_of(call, m.cell);
    if (m.filler == NULL) return OPFORGE_NO_MEMORY;
    return call->host->parallel(call, cells, 1 + PART / (m.cell + 16), 0, move_part, &m);
}

static int64_t steps_of(const opforge_tensor* tensor, opforge_call* call) {
    return tensor->shape[opforge_find(call, "axis")->integer];
}

static int32_t mask(opforge_call* call) { return move(call, MASK, 0, UNLIMITED); }
static int32_t reverse(opforge_call* call) { return move(call, REVERSE, 0, (double)steps_of(&call->inputs[0], call)); }
static int32_t put_last(opforge_call* call) {
    return move(call, PUT_LAST, 1, (double)steps_of(&call->outputs[0], call));
}

static int32_t last(opforge_call* call) {
    int64_t steps = steps_of(&call->inputs[0], call);
    if (steps == 0 && call->outputs[0].byte_size > 0)
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "input 'data' has no steps; expected at least one");
    return move(call, LAST, 1, (double)steps);
}

/* -- connectionist temporal classification --------------------------------------------------------------- */

static int is_set(const opforge_call* call, const char* name) { return opforge_find(call, name)->integer != 0; }

/* Read the labels of a sequence; if `is_padded`, set `*n` to the number of labels before the padding. */
static int32_t read_sequence(opforge_call* call, alignment* a, const double* given, int64_t first, int64_t* labels,
                             int64_t* n, int is_padded) {
    double padding = a->blank == 0 ? 0 : -1, most = (double)a->classes - 1; /* as in MXNet, the blank may be a label */
    for (int64_t i = first; i < first + *n; i++) {
        if (is_padded && given[i] == padding) {
            *n = i - first;
            return OPFORGE_OK;
        }
        if (!(given[i] >= 0 && given[i] <= most)) return fail_range(call, "label", given[i], i, 0, most);
        labels[i] = (int64_t)given[i];
    }
    return OPFORGE_OK;
}

static int32_t read_labels(opforge_call* call, alignment* a) {
    int64_t count = opforge_count(&call->inputs[1]), *n_labels = NULL;
    int is_padded = !is_set(call, "use_label_lengths");
    double* given = read_integers(call, &call->inputs[1], round); /* as MXNet does */
    int64_t* labels = (int64_t*)call->host->scratch(call, (count + 1) * (int64_t)sizeof *labels);
    if (given == NULL || labels == NULL) return OPFORGE_NO_MEMORY;
    int32_t status = OPFORGE_OK;
    if (is_padded) {
        n_labels = (int64_t*)call->host->scratch(call, (a->batch + 1) * (int64_t)sizeof *n_labels);
        if (n_labels == NULL) return OPFORGE_NO_MEMORY;
        for (int64_t i = 0; i < a->batch; i++) n_labels[i] = a->most_labels;
    } else {
        status = read_lengths(call, call->n_inputs - 1, "label_lengths", 0, (double)a->most_labels, &n_labels);
    }
    for (int64_t i = 0; i < a->batch && !status; i++)
        status = read_sequence(call, a, given, i * a->most_labels, labels, &n_labels[i], is_padded);
    a->labels = labels;
    a->n_labels = n_labels;
    return status;
}

static int32_t read_alignment(opforge_call* call, alignment* a) {
    const int64_t* shape = call->inputs[0].shape;
    int64_t* n_steps = NULL;
    /* Shape inference treats a label without axes as one of unknown shape. */
    if (call->inputs[1].ndim != 2)
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "label has %d axes; expected 2: (batch, labels)", call->inputs[1].ndim);
    *a = (alignment){.steps = shape[0], .batch = shape[1], .classes = shape[2],
                     .most_labels = call->inputs[1].shape[1], .data = call->inputs[0].data};
    a->blank = opforge_find(call, "blank_label")->text[0] == 'f' ? 0 : a->classes - 1;
    if (is_set(call, "use_data_lengths")) {
        int32_t status = read_lengths(call, 2, "data_lengths", 0, (double)a->steps, &n_steps);
        if (status) return status;
    } else {
        n_steps = (int64_t*)call->host->scratch(call, (a->batch + 1) * (int64_t)sizeof *n_steps);
        if (n_steps == NULL) return OPFORGE_NO_MEMORY;
        for (int64_t i = 0; i < a->batch; i++) n_steps[i] = a->steps;
    }
    a->n_steps = n_steps;
    return read_labels(call, a);
}

/* Find the forward variables saved for backward. `keeps`: whether this call saves them, or the forward call did. The
 * prediction operator has no output for them. */
static void find_kept(const opforge_call* call, alignment* a, int is_backward) {
    if (call->n_outputs < 2) return;
    a->kept = (double*)call->outputs[1].data;
    a->kept_stride = call->outputs[1].shape[1];
    a->keeps = is_backward ? a->kept[0] != 0 : call->is_train != 0;
}

/* Return the number of states of the longest sequence that has enough steps. */
static int64_t most_states(const alignment* a) {
    int64_t most = 0;
    for (int64_t i = 0; i < a->batch; i++) {
        int64_t n = a->n_labels[i] <= a->n_steps[i] ? a->n_labels[i] : 0;
        most = n > most ? n : most;
    }
    return 2 * most + 1;
}

static int32_t ctc_forward(opforge_call* call) {
    if (opforge_is_half(call->inputs[0].dtype)) return opforge_in_float32(call, ctc_forward);
    alignment a;
    if (call->inputs[0].byte_size == 0) {
        if (call->outputs[0].byte_size > 0) memset(call->outputs[0].data, 0, (size_t)call->outputs[0].byte_size);
        return OPFORGE_OK;
    }
    int32_t status = read_alignment(call, &a);
    if (status) return status;
    a.losses = call->outputs[0].data;
    find_kept(call, &a, 0);
    return call->host->parallel(call, a.batch, 1, most_states(&a) * (int64_t)sizeof(double),
                                call->inputs[0].dtype == OPFORGE_FLOAT32 ? loss_part_f32 : loss_part_f64, &a);
}

static int32_t ctc_backward(opforge_call* call) {
    if (opforge_is_half(call->inputs[0].dtype)) return opforge_in_float32(call, ctc_backward);
    alignment a;
    /* The gradients of labels and lengths are zero. */
    for (int32_t i = 1; i < call->n_inputs; i++)
        if (call->in_grads[i].data != NULL) memset(call->in_grads[i].data, 0, (size_t)call->in_grads[i].byte_size);
    if (call->in_grads[0].data == NULL || call->in_grads[0].byte_size == 0) return OPFORGE_OK;
    int32_t status = read_alignment(call, &a);
    if (status) return status;
    find_kept(call, &a, 1);
    int64_t states = most_states(&a);
    double numbers = (a.keeps ? 0 : (double)a.steps * (double)(states + 1)) + (double)states;
    if (numbers > UNLIMITED / 1024) return OPFORGE_NO_MEMORY;
    a.grad = call->in_grads[0].data;
    a.heads = call->out_grads[0].data;
    return call->host->parallel(call, a.batch, 1, (int64_t)numbers * (int64_t)sizeof(double),
                                call->inputs[0].dtype == OPFORGE_FLOAT32 ? grad_part_f32 : grad_part_f64, &a);
}

/* -- the library --------------------------------------------------------------------------------------- */

#define OPERATOR(title, function) {.head = OPFORGE_HEAD(opforge_operator), .name = title, .forward = function}

static const opforge_operator sequence_mask = OPERATOR("SequenceMask", mask);
static const opforge_operator sequence_reverse = OPERATOR("SequenceReverse", reverse);
static const opforge_operator sequence_last = OPERATOR("SequenceLast", last);
static const opforge_operator last_put = OPERATOR("_put_last", put_last);
static const opforge_operator ctc_loss = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "CTCLoss",
    .forward = ctc_forward,
    .backward = ctc_backward,
    .flags = OPFORGE_WANTED,
};
static const opforge_operator ctc_prediction = OPERATOR("_CTCLoss_prediction", ctc_forward);

OPFORGE_MODULE(_native, &sequence_mask, &sequence_reverse, &sequence_last, &last_put, &ctc_loss, &ctc_prediction);
