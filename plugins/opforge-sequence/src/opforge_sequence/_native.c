/* Sequences: lengths are read and checked, steps are moved, and the library. */
#include <Python.h>
#include <math.h>
#include <opforge/abi.h>

#include "kernels/steps.h"

enum { PART = 16384 }; /* bytes that a part of a loop moves at least */

/* -- lengths ------------------------------------------------------------------------------------------- */

/* Set `lengths` to those of the call's sequences, NULL where all have all steps. Each is at least `least` and,
 * once it is cut to an integer, at most `most`. */
static int32_t read_lengths(opforge_call* call, double least, double most, const double** lengths) {
    *lengths = NULL;
    if (call->n_inputs < 2 || call->inputs[1].byte_size == 0) return OPFORGE_OK;
    const opforge_tensor* given = &call->inputs[1];
    int64_t n = opforge_count(given);
    double* found = (double*)call->host->scratch(call, n * (int64_t)sizeof *found);
    if (found == NULL) return OPFORGE_NO_MEMORY;
    if (call->host->convert(call, given->dtype, given->data, OPFORGE_FLOAT64, found, n)) return OPFORGE_ERROR;
    for (int64_t i = 0; i < n; i++) {
        if (found[i] >= least && found[i] < most + 1) continue;
        char limit[32] = "";
        if (most < INFINITY) snprintf(limit, sizeof limit, " and at most %g", most);
        return opforge_fail(call, OPFORGE_ERROR, "input 'sequence_length' has %g at %lld, expected at least %g%s", found[i],
                            (long long)i, least, limit);
    }
    *lengths = found;
    return OPFORGE_OK;
}

/* -- steps --------------------------------------------------------------------------------------------- */

/* A cell that is full of the number `value`; NULL without memory. */
static char* filler_of(opforge_call* call, int64_t bytes) {
    const opforge_attribute* value = opforge_find(call, "value");
    double number = value == NULL ? 0 : value->number;
    int32_t dtype = call->outputs[0].dtype;
    int64_t item = opforge_item_size(dtype);
    char* cell = (char*)call->host->scratch(call, bytes + item);
    if (cell == NULL || call->host->convert(call, OPFORGE_FLOAT64, &number, dtype, cell, 1)) return NULL;
    for (int64_t at = item; at < bytes; at += item) memcpy(cell + at, cell, (size_t)item);
    return cell;
}

static int32_t move(opforge_call* call, movement kind, double least, double most) {
    const opforge_tensor *data = &call->inputs[0], *out = &call->outputs[0];
    int64_t axis = opforge_find(call, "axis")->integer;
    moving m = {.kind = kind, .batch_first = axis == 1, .from_steps = kind == PUT_LAST ? 1 : data->shape[axis],
                .to_steps = kind == LAST ? 1 : out->shape[axis], .from = data->data, .to = out->data};
    if (out->byte_size == 0) return OPFORGE_OK;
    int32_t status = read_lengths(call, least, most, &m.lengths);
    if (status) return status;
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

static int32_t mask(opforge_call* call) { return move(call, MASK, 0, INFINITY); }
static int32_t reverse(opforge_call* call) { return move(call, REVERSE, 0, (double)steps_of(&call->inputs[0], call)); }
static int32_t put_last(opforge_call* call) {
    return move(call, PUT_LAST, 1, (double)steps_of(&call->outputs[0], call));
}

static int32_t last(opforge_call* call) {
    int64_t steps = steps_of(&call->inputs[0], call);
    if (steps == 0 && call->outputs[0].byte_size > 0)
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "input 'data' has no steps, expected at least one");
    return move(call, LAST, 1, (double)steps);
}

/* -- the library --------------------------------------------------------------------------------------- */

#define OPERATOR(title, function) {.head = OPFORGE_HEAD(opforge_operator), .name = title, .forward = function}

static const opforge_operator sequence_mask = OPERATOR("SequenceMask", mask);
static const opforge_operator sequence_reverse = OPERATOR("SequenceReverse", reverse);
static const opforge_operator sequence_last = OPERATOR("SequenceLast", last);
static const opforge_operator last_put = OPERATOR("_put_last", put_last);
static const opforge_operator* const operators[] = {&sequence_mask, &sequence_reverse, &sequence_last, &last_put};
static const opforge_library library = {
    .head = OPFORGE_HEAD(opforge_library),
    .operators = operators,
    .n_operators = sizeof operators / sizeof *operators,
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_native", .m_size = -1};

PyMODINIT_FUNC PyInit__native(void) {
    PyObject* module = PyModule_Create(&definition);
    PyObject* capsule = PyCapsule_New((void*)&library, OPFORGE_LIBRARY, NULL);
    if (module == NULL || capsule == NULL || PyModule_AddObject(module, OPFORGE_LIBRARY, capsule) < 0) {
        Py_XDECREF(capsule);
        Py_XDECREF(module);
        return NULL;
    }
    return module;
}
