/* Operators that check what the native interface passes to them, called by its tests.
 *
 * MODULE is the module's name. */
#include <opforge/module.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

_Static_assert(sizeof(opforge_head) == 8, "a table's head");
_Static_assert(sizeof(opforge_tensor) == 48, "views are stored in arrays, so their size must not change");
_Static_assert(sizeof(opforge_attribute) == 64, "so are attributes");

static double* out(opforge_call* call) { return (double*)call->outputs[0].data; }
static const double* in(opforge_call* call) { return (const double*)call->inputs[0].data; }

/* -- scale: scale * x, of float64; in it, what a call is checked for ------------------------------ */

static bool is_contiguous(const opforge_tensor* t) {
    int64_t step = opforge_item_size(t->dtype);
    for (int32_t axis = t->ndim - 1; axis >= 0; axis--) {
        if (t->strides[axis] != step) return false;
        step *= t->shape[axis];
    }
    return step == t->byte_size;
}

static int32_t scale_forward(opforge_call* call) {
    const opforge_tensor* x = call->inputs;
    if (call->head.struct_size < sizeof(opforge_call) || call->host->head.major != OPFORGE_ABI_MAJOR) {
        return opforge_fail(call, OPFORGE_ERROR, "the call has %u bytes", call->head.struct_size);
    }
    if (call->n_inputs != 1 || call->n_outputs != 1 || call->in_grads || !is_contiguous(x) || call->stream) {
        return opforge_fail(call, OPFORGE_ERROR, "the views are wrong");
    }
    for (int64_t i = 0; i < opforge_count(x); i++) out(call)[i] = call->attributes[0].number * in(call)[i];
    return OPFORGE_OK;
}

static int32_t scale_backward(opforge_call* call) {
    const double* head = (const double*)call->out_grads[0].data;
    double* grad = (double*)call->in_grads[0].data;
    if (call->inputs[0].data != NULL || call->inputs[0].ndim != call->in_grads[0].ndim) {
        return opforge_fail(call, OPFORGE_ERROR, "got inputs that were not saved");
    }
    for (int64_t i = 0; i < opforge_count(call->in_grads); i++) {
        grad[i] = call->attributes[0].number * head[i];
    }
    return OPFORGE_OK;
}

/* -- product: x * y of two inputs and a second output, the sum; saves all -------------------------- */

static int32_t product_infer(opforge_call* call) {
    opforge_like(&call->outputs[0], &call->inputs[0]);
    opforge_like(&call->outputs[1], &call->inputs[0]);
    return OPFORGE_OK;
}

static int32_t product_forward(opforge_call* call) {
    const double *x = (const double*)call->inputs[0].data, *y = (const double*)call->inputs[1].data;
    double *p = (double*)call->outputs[0].data, *s = (double*)call->outputs[1].data;
    for (int64_t i = 0; i < opforge_count(call->outputs); i++) {
        p[i] = x[i] * y[i];
        s[i] = x[i] + y[i];
    }
    return OPFORGE_OK;
}

static int32_t product_backward(opforge_call* call) {
    const double *x = (const double*)call->inputs[0].data, *y = (const double*)call->inputs[1].data;
    const double* dp = (const double*)call->out_grads[0].data;
    const double* ds = (const double*)call->out_grads[1].data;
    const double* s = (const double*)call->outputs[1].data;
    double *dx = (double*)call->in_grads[0].data, *dy = (double*)call->in_grads[1].data;
    for (int64_t i = 0; i < opforge_count(call->in_grads); i++) {
        if (s[i] != x[i] + y[i]) return opforge_fail(call, OPFORGE_ERROR, "the outputs are not saved");
        dx[i] = dp[i] * y[i] + ds[i];
        dy[i] = dp[i] * x[i] + ds[i];
    }
    return OPFORGE_OK;
}

/* -- gil and meet: run without the GIL --------------------------------------------------------------- */

static int32_t gil_forward(opforge_call* call) {
    out(call)[0] = PyGILState_Check();
    return OPFORGE_OK;
}

static atomic_int waiting;

/* Returns when another thread runs this function too. */
static int32_t meet_forward(opforge_call* call) {
    time_t until = time(NULL) + 20;
    int before = atomic_fetch_add(&waiting, 1);
    while (before == 0 && atomic_load(&waiting) < 2) {
        if (time(NULL) > until) return opforge_fail(call, OPFORGE_ERROR, "no other thread came");
    }
    out(call)[0] = 1;
    return OPFORGE_OK;
}

/* -- fail ------------------------------------------------------------------------------------------ */

static int32_t fail_forward(opforge_call* call) {
    const opforge_attribute* text = opforge_find(call, "text");
    call->host->set_error(call, text->kind == OPFORGE_NONE ? NULL : text->text);
    return (int32_t)opforge_find(call, "status")->integer;
}

static int32_t fail_backward(opforge_call* call) {
    return opforge_fail(call, OPFORGE_BAD_SHAPE, "%s is cold too", "the milk");
}

/* -- scratch --------------------------------------------------------------------------------------- */

static int32_t scratch_forward(opforge_call* call) {
    char* blocks[8];
    if (call->host->scratch(call, -1) != NULL || call->host->scratch(call, INT64_MAX) != NULL) {
        return opforge_fail(call, OPFORGE_ERROR, "impossible memory was lent");
    }
    for (int i = 0; i < 8; i++) {
        blocks[i] = (char*)call->host->scratch(call, i * 1000);
        if (blocks[i] == NULL || (uintptr_t)blocks[i] % 64 != 0) {
            return opforge_fail(call, OPFORGE_NO_MEMORY, "block %d is at %p", i, (void*)blocks[i]);
        }
        memset(blocks[i], i, (size_t)i * 1000);
    }
    out(call)[0] = 0;
    for (int i = 1; i < 8; i++) out(call)[0] += blocks[i][0] + blocks[i][i * 1000 - 1];
    return OPFORGE_OK;
}

/* -- parallel: each element is its index ----------------------------------------------------------- */

static void number(void* argument, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) ((double*)argument)[i] += (double)i;
}

static int32_t parallel_forward(opforge_call* call) {
    int64_t count = opforge_count(call->outputs);
    memset(call->outputs[0].data, 0, (size_t)call->outputs[0].byte_size);
    call->host->parallel_for(call, count, 64, number, call->outputs[0].data);
    call->host->parallel_for(call, -5, 64, number, NULL);
    call->host->parallel_for(call, 5, 64, NULL, NULL);
    return OPFORGE_OK;
}

/* -- attributes: `create` sums all values, `destroy` counts ----------------------------------------- */

static atomic_int created, destroyed;

static int32_t attributes_create(opforge_call* call) {
    double total = 0;
    for (int32_t i = 0; i < call->n_attributes; i++) {
        const opforge_attribute* a = &call->attributes[i];
        if (a->kind == OPFORGE_NONE) total += 1000;
        if (a->kind == OPFORGE_INT && a->number != (double)a->integer) total += 1e9;
        if (a->kind == OPFORGE_INT || a->kind == OPFORGE_FLOAT) total += a->number;
        if (a->kind == OPFORGE_TEXT) total += strlen(a->text) == (size_t)a->size ? (double)a->size : 1e9;
        for (int64_t k = 0; a->kind == OPFORGE_INTS && k < a->size; k++) {
            total += a->integers[k] == OPFORGE_NO_INT ? 5000 : (double)a->integers[k];
        }
        for (int64_t k = 0; a->kind == OPFORGE_FLOATS && k < a->size; k++) total += a->numbers[k];
    }
    if (total == 666) return opforge_fail(call, OPFORGE_BAD_ATTRIBUTE, "the sum is %g", total);
    call->state = malloc(sizeof(double));
    *(double*)call->state = total;
    atomic_fetch_add(&created, 1);
    return OPFORGE_OK;
}

static int32_t attributes_destroy(opforge_call* call) {
    free(call->state);
    atomic_fetch_add(&destroyed, 1);
    return OPFORGE_OK;
}

static int32_t attributes_forward(opforge_call* call) {
    out(call)[0] = *(double*)call->state;
    return OPFORGE_OK;
}

/* -- answers: invalid results of `infer` --------------------------------------------------------------- */

static int32_t answers_infer(opforge_call* call) {
    int64_t what = call->attributes[0].integer;
    opforge_tensor* y = &call->outputs[0];
    opforge_like(y, &call->inputs[0]);
    if (what == 1) y->shape = call->inputs[0].shape;
    if (what == 2) y->ndim = 33;
    if (what == 3 && y->ndim > 0) y->shape[0] = -7;
    if (what == 4 && y->dtype != OPFORGE_UNKNOWN) y->dtype = OPFORGE_FLOAT8_E5M2;
    if (what == 8 && y->dtype != OPFORGE_UNKNOWN) y->dtype = OPFORGE_DTYPE(OPFORGE_CODE_FLOAT, 32, 2);
    if (what == 5) y->ndim = -2;
    if (what == 6) return opforge_fail(call, OPFORGE_BAD_SHAPE, "I do not like it");
    if (what == 7) y->dtype = OPFORGE_UNKNOWN;
    return OPFORGE_OK;
}

static int32_t nothing(opforge_call* call) {
    (void)call;
    return OPFORGE_OK;
}

/* -- random ------------------------------------------------------------------------------------------ */

static int32_t random_forward(opforge_call* call) {
    uint64_t key = call->host->random_key(call);
    for (int64_t i = 0; i < opforge_count(call->outputs); i++) out(call)[i] = key ? opforge_uniform(key, i) : -1;
    return OPFORGE_OK;
}

/* -- the library ------------------------------------------------------------------------------------- */

#define OPERATOR(op, ...) \
    static const opforge_operator op = {.head = OPFORGE_HEAD(opforge_operator), .name = "abi_" #op, __VA_ARGS__};

OPERATOR(scale, .forward = scale_forward, .backward = scale_backward)
OPERATOR(product, .infer = product_infer, .forward = product_forward, .backward = product_backward)
OPERATOR(gil, .forward = gil_forward)
OPERATOR(meet, .forward = meet_forward)
OPERATOR(fail, .forward = fail_forward, .backward = fail_backward)
OPERATOR(scratch, .forward = scratch_forward)
OPERATOR(parallel, .forward = parallel_forward)
OPERATOR(attributes, .create = attributes_create, .destroy = attributes_destroy, .forward = attributes_forward)
OPERATOR(answers, .infer = answers_infer, .forward = nothing)
OPERATOR(noise, .forward = random_forward, .flags = OPFORGE_RANDOM)
OPERATOR(silence, .forward = random_forward)

OPFORGE_LIBRARY_OF(library, &scale, &product, &gil, &meet, &fail, &scratch, &parallel, &attributes, &answers,
                   &noise, &silence);

static PyObject* counts(PyObject* self, PyObject* arguments) {
    (void)self, (void)arguments;
    return Py_BuildValue("ii", atomic_load(&created), atomic_load(&destroyed));
}

static PyMethodDef methods[] = {{"counts", counts, METH_NOARGS, "States made and destroyed."}, {0}};
#define INIT_OF(name) PyInit_##name
#define INIT(name) INIT_OF(name)
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = TEXT(MODULE), .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC INIT(MODULE)(void) {
    return opforge_create_module(&definition, &library);
}
