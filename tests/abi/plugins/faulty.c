/* Operators of two inputs with one fault each, which the battery is to find; float64 alone. */
#include <Python.h>
#include <opforge/abi.h>
#include <stdlib.h>

static double* at(const opforge_tensor* t) { return (double*)t->data; }

/* The output is like `x`; nothing is said of `y`. */
static int32_t infer(opforge_call* call) {
    opforge_like(&call->outputs[0], &call->inputs[0]);
    return OPFORGE_OK;
}

/* The same, and `y` is looked at. */
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

/* Writes one element more than there are, where there are some. */
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

/* Adds to the gradients what it is to write. */
static int32_t backward_adds(opforge_call* call) {
    for (int64_t i = 0; i < opforge_count(call->inputs); i++) {
        at(call->in_grads)[i] += at(call->out_grads)[i] * at(call->inputs + 1)[i];
        at(call->in_grads + 1)[i] += at(call->out_grads)[i] * at(call->inputs)[i];
    }
    return OPFORGE_OK;
}

static int32_t forward_aborts(opforge_call* call) {
    (void)call;
    abort();
}

#define OPERATOR(id, infer_, forward_, backward_)                                                  \
    static const opforge_operator id = {.head = OPFORGE_HEAD(opforge_operator), .name = "faulty_" #id, \
                                        .infer = infer_, .forward = forward_, .backward = backward_}
OPERATOR(good, infer_checked, forward, backward);
OPERATOR(unchecked, infer, forward, backward);
OPERATOR(writes, infer_checked, forward_writes, backward);
OPERATOR(reads, infer_checked, forward, backward_reads);
OPERATOR(adds, infer_checked, forward, backward_adds);
OPERATOR(aborts, infer_checked, forward_aborts, backward);

static const opforge_operator* const operators[] = {&good, &unchecked, &writes, &reads, &adds, &aborts};
static const opforge_library library = {
    .head = OPFORGE_HEAD(opforge_library),
    .operators = operators,
    .n_operators = sizeof operators / sizeof *operators,
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "faulty", .m_size = -1};

PyMODINIT_FUNC PyInit_faulty(void) {
    PyObject* module = PyModule_Create(&definition);
    PyModule_AddObject(module, OPFORGE_LIBRARY, PyCapsule_New((void*)&library, OPFORGE_LIBRARY, NULL));
    return module;
}
