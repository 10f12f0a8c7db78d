/* Expensive operators: matrix products, plans, workspace, loops with workers, wanted gradients, states,
 * inference both ways. */
#include <opforge/module.h>
#include <stdatomic.h>
#include <stdlib.h>

static int64_t integer(const opforge_call* call, const char* name) { return opforge_find(call, name)->integer; }

/* -- gemm: c with rows `pad` longer than n, or of `count` products ---------------------------------- */

typedef struct inner {
    opforge_call* call;
    opforge_gemm product;
    opforge_routine routine;
} inner;

static int32_t product_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    inner* all = (inner*)argument;
    for (int64_t i = begin; i < end; i++) {
        opforge_gemm one = all->product;
        int64_t item = opforge_item_size(one.dtype);
        one.count = 1;
        one.a = (const char*)one.a + i * one.a_next * item;
        one.b = (const char*)one.b + i * one.b_next * item;
        one.c = (char*)one.c + i * one.c_next * item;
        int32_t status = all->call->host->gemm(all->call, &one);
        if (status) return status;
    }
    return worker->index < worker->count ? OPFORGE_OK : OPFORGE_ERROR;
}

/* Inputs a, b, c, bias; the output is c plus the product. All except the bias have three dimensions. */
static int32_t gemm_forward(opforge_call* call) {
    const opforge_tensor *a = &call->inputs[0], *b = &call->inputs[1], *bias = &call->inputs[3];
    opforge_tensor* c = &call->outputs[0];
    int64_t item = opforge_item_size(c->dtype);
    memcpy(c->data, call->inputs[2].data, (size_t)c->byte_size);
    inner all = {.call = call, .product = opforge_matmul(c->dtype, integer(call, "m"), integer(call, "n"),
                                                         integer(call, "k"), a->data, b->data, c->data)};
    opforge_gemm* p = &all.product;
    p->transpose_a = (int32_t)integer(call, "transpose_a");
    p->transpose_b = (int32_t)integer(call, "transpose_b");
    p->a_row = a->shape[2];
    p->b_row = b->shape[2];
    p->c_row = c->shape[2];
    p->count = c->shape[0];
    p->a_next = a->shape[0] == 1 ? 0 : a->strides[0] / item;
    p->b_next = b->shape[0] == 1 ? 0 : b->strides[0] / item;
    p->c_next = c->strides[0] / item;
    p->alpha = opforge_find(call, "alpha")->number;
    p->beta = opforge_find(call, "beta")->number;
    p->threads = (int32_t)integer(call, "threads");
    p->bias_axis = (int32_t)integer(call, "bias_axis");
    p->bias = p->bias_axis < 0 ? NULL : bias->data;
    if (p->bias_axis < 0) p->bias_axis = 1;
    if (integer(call, "inside")) return call->host->parallel(call, p->count, 1, 64, product_part, &all);
    return call->host->gemm(call, p);
}

static int32_t like_third(opforge_call* call) {
    opforge_like(&call->outputs[0], &call->inputs[2]);
    return OPFORGE_OK;
}

static int32_t like_first(opforge_call* call) {
    opforge_like(&call->outputs[0], &call->inputs[0]);
    return OPFORGE_OK;
}

/* Results of `gemm` for invalid products. */
static int32_t faults_forward(opforge_call* call) {
    double* y = (double*)call->outputs[0].data;
    opforge_gemm p = opforge_matmul(OPFORGE_FLOAT64, 1, 1, 1, call->inputs[0].data, call->inputs[0].data, y);
    switch (integer(call, "what")) {
    case 0: p.dtype = OPFORGE_BOOL; break;
    case 1: p.dtype = OPFORGE_FLOAT8_E4M3FN; break;
    case 2: p.m = -1; break;
    case 3: p.n = INT64_C(1) << 31; p.c_row = p.n; p.b_row = p.n; break;
    case 4: p.k = 3; p.a_row = 2; break;
    case 5: p.a_next = INT64_MAX; break;
    case 6: p.bias = y; p.bias_axis = 7; break;
    case 7: p.count = 0; y[0] = 5; break;
    default: p.k = 0; y[0] = 7; p.a = p.b = NULL; break;
    }
    return call->host->gemm(call, &p);
}

/* -- routines: the sum of the first row's absolute values, or their Euclidean norm, by BLAS -------------- */

typedef double (*norm)(const int* n, const double* x, const int* step);

typedef struct norm_call {
    norm function;
    int n;
    const double* x;
    double result;
} norm_call;

static void call_norm(void* argument) {
    norm_call* c = (norm_call*)argument;
    int step = 1;
    c->result = c->function(&c->n, c->x, &step);
}

static int32_t norm_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    inner* all = (inner*)argument;
    int64_t length = all->call->inputs[0].shape[1];
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        norm_call c = {(norm)all->routine, (int)length, (const double*)all->call->inputs[0].data + i * length, 0};
        int32_t status = all->call->host->run_routines(all->call, call_norm, &c);
        if (status) return status;
        ((double*)all->call->outputs[0].data)[i] = c.result;
    }
    return OPFORGE_OK;
}

static int32_t routines_infer(opforge_call* call) {
    opforge_like(&call->outputs[0], &call->inputs[0]);
    if (call->inputs[0].ndim == 2) call->outputs[0].ndim = 1;
    return OPFORGE_OK;
}

static int32_t routines_forward(opforge_call* call) {
    inner all = {.call = call, .routine = call->host->routine(call, opforge_find(call, "routine")->text)};
    if (all.routine == NULL) return OPFORGE_ERROR;
    return call->host->parallel(call, call->inputs[0].shape[0], 1, 0, norm_part, &all);
}

/* -- planned: x times the size of the plan, in a workspace ------------------------------------------- */

static atomic_int plans_made, plans_freed;

static int32_t planned_plan(opforge_call* call) {
    const opforge_tensor* x = &call->inputs[0];
    int64_t fault = integer(call, "fault");
    if (fault == 1) return opforge_fail(call, OPFORGE_BAD_SHAPE, "%d dimensions are too many", x->ndim);
    call->workspace_bytes = fault == 2 ? -1 : x->byte_size;
    if (call->stage == OPFORGE_BACKWARD) call->workspace_bytes *= 2;
    int64_t* plan = (int64_t*)malloc(sizeof *plan);
    if (x->data != NULL || call->outputs[0].data != NULL || plan == NULL) return OPFORGE_ERROR;
    *plan = opforge_count(x);
    call->plan = plan;
    atomic_fetch_add(&plans_made, 1);
    return OPFORGE_OK;
}

static int32_t planned_unplan(opforge_call* call) {
    free(call->plan);
    atomic_fetch_add(&plans_freed, 1);
    return OPFORGE_OK;
}

static int32_t scaled(opforge_call* call, const opforge_tensor* x, opforge_tensor* y, int64_t bytes) {
    float* work = (float*)call->workspace;
    int64_t factor = *(const int64_t*)call->plan;
    if (call->workspace_bytes != bytes || (uintptr_t)work % 64 != 0 || factor != opforge_count(x)) {
        return opforge_fail(call, OPFORGE_ERROR, "the workspace or the plan is wrong");
    }
    memset(work, 1, (size_t)bytes);
    for (int64_t i = 0; i < factor; i++) work[i] = ((const float*)x->data)[i] * (float)factor;
    memcpy(y->data, work, (size_t)y->byte_size);
    return OPFORGE_OK;
}

static int32_t planned_forward(opforge_call* call) {
    return scaled(call, &call->inputs[0], &call->outputs[0], call->inputs[0].byte_size);
}

static int32_t planned_backward(opforge_call* call) {
    return scaled(call, &call->out_grads[0], &call->in_grads[0], 2 * call->out_grads[0].byte_size);
}

/* -- workers: each element its index; what workers have, and early ends ------------------------------- */

typedef struct work {
    opforge_call* call;
    double* y;
    int64_t stop;
    atomic_int running[1024];
    atomic_int after;
} work;

static int32_t worker_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    work* w = (work*)argument;
    double* own = (double*)worker->scratch;
    if (worker->index < 0 || worker->index >= worker->count) return OPFORGE_ERROR;
    if (atomic_fetch_add(&w->running[worker->index], 1) != 0) return OPFORGE_ERROR;
    if ((uintptr_t)own % 64 != 0) return OPFORGE_ERROR;
    for (int64_t i = begin; i < end; i++) {
        own[i % 128] = (double)i;
        w->y[i] = own[i % 128];
        if (i == w->stop) {
            atomic_fetch_sub(&w->running[worker->index], 1);
            return opforge_fail(w->call, OPFORGE_BAD_SHAPE, "stopped at %lld", (long long)i);
        }
    }
    atomic_fetch_sub(&w->running[worker->index], 1);
    return OPFORGE_OK;
}

static int32_t nested_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    opforge_call* call = (opforge_call*)argument;
    (void)worker;
    if (call->host->threads(call) != 1) return OPFORGE_ERROR;
    for (int64_t i = begin; i < end; i++) {
        work w = {.call = call, .y = (double*)malloc(1000 * sizeof(double)), .stop = -1};
        int32_t status = call->host->parallel(call, 1000, 1, 1024, worker_part, &w);
        free(w.y);
        if (status) return status;
    }
    return OPFORGE_OK;
}

static int32_t workers_forward(opforge_call* call) {
    work w = {.call = call, .y = (double*)call->outputs[0].data, .stop = integer(call, "stop")};
    int64_t count = opforge_count(call->outputs), scratch = integer(call, "scratch");
    if (call->host->threads(call) < 1) return OPFORGE_ERROR;
    if (integer(call, "nested")) {
        int32_t status = call->host->parallel(call, 64, 1, 0, nested_part, call);
        if (status) return status;
    }
    return call->host->parallel(call, count, 64, scratch, worker_part, &w);
}

/* -- both: x * y; its second output lists the wanted gradients ---------------------------------------- */

static atomic_int wanted_seen;

static int32_t both_forward(opforge_call* call) {
    const double *x = (const double*)call->inputs[0].data, *y = (const double*)call->inputs[1].data;
    for (int64_t i = 0; i < opforge_count(call->outputs); i++) ((double*)call->outputs[0].data)[i] = x[i] * y[i];
    return OPFORGE_OK;
}

static int32_t both_backward(opforge_call* call) {
    const double* head = (const double*)call->out_grads[0].data;
    int seen = 0;
    if (call->outputs[0].data != NULL) return opforge_fail(call, OPFORGE_ERROR, "outputs are not saved");
    for (int32_t k = 0; k < 2; k++) {
        double* grad = (double*)call->in_grads[k].data;
        const double* other = (const double*)call->inputs[1 - k].data;
        if ((grad != NULL) != (call->wanted[k] != 0)) return opforge_fail(call, OPFORGE_ERROR, "grad %d", k);
        if (opforge_count(&call->in_grads[k]) != opforge_count(call->out_grads)) return OPFORGE_ERROR;
        seen |= call->wanted[k] << k;
        for (int64_t i = 0; grad != NULL && i < opforge_count(call->in_grads); i++) grad[i] = head[i] * other[i];
    }
    atomic_store(&wanted_seen, seen);
    return OPFORGE_OK;
}

/* -- affine: x * w + b, whose backward needs only x and w ---------------------------------------------- */

static int32_t affine_forward(opforge_call* call) {
    const double *x = (const double*)call->inputs[0].data, *w = (const double*)call->inputs[1].data;
    const double* b = (const double*)call->inputs[2].data;
    for (int64_t i = 0; i < opforge_count(call->outputs); i++) ((double*)call->outputs[0].data)[i] = x[i] * w[i] + b[i];
    return OPFORGE_OK;
}

static int32_t affine_backward(opforge_call* call) {
    const double* head = (const double*)call->out_grads[0].data;
    const double *x = (const double*)call->inputs[0].data, *w = (const double*)call->inputs[1].data;
    if (call->inputs[2].data != NULL || call->inputs[2].shape[0] != call->inputs[0].shape[0]) {
        return opforge_fail(call, OPFORGE_ERROR, "the third input was not to be kept");
    }
    for (int64_t i = 0; i < opforge_count(call->out_grads); i++) {
        ((double*)call->in_grads[0].data)[i] = head[i] * w[i];
        ((double*)call->in_grads[1].data)[i] = head[i] * x[i];
        ((double*)call->in_grads[2].data)[i] = head[i];
    }
    return OPFORGE_OK;
}

/* -- counted: adds the number of calls so far, an auxiliary state, to x times a weight ------------------ */

/* data (n, c), weight (c); output (n, c); state (1). */
static int32_t counted_complete(opforge_call* call) {
    opforge_tensor *data = &call->arguments[0], *weight = &call->arguments[1], *y = &call->outputs[0];
    if (data->ndim == -1 && data->dtype == OPFORGE_UNKNOWN) opforge_like(data, y);
    if (y->ndim == -1 && y->dtype == OPFORGE_UNKNOWN) opforge_like(y, data);
    if (data->ndim >= 0 && data->ndim != 2) return opforge_fail(call, OPFORGE_BAD_SHAPE, "data has %d dimensions", data->ndim);
    if (data->ndim == 2) {
        weight->ndim = 1;
        weight->shape[0] = data->shape[1];
    }
    weight->dtype = call->states[0].dtype = data->dtype;
    if (data->dtype == OPFORGE_UNKNOWN) {
        call->states[0].ndim = 1;
        call->states[0].shape[0] = 1;
    }
    return OPFORGE_OK;
}

static int32_t counted_forward(opforge_call* call) {
    const float *x = (const float*)call->inputs[0].data, *w = (const float*)call->inputs[1].data;
    float* state = (float*)call->states[0].data;
    int64_t width = call->inputs[1].shape[0];
    for (int64_t i = 0; i < opforge_count(call->outputs); i++) ((float*)call->outputs[0].data)[i] = x[i] * w[i % width] + *state;
    if (call->is_train) *state += 1;
    return OPFORGE_OK;
}

static int32_t counted_backward(opforge_call* call) {
    const float* head = (const float*)call->out_grads[0].data;
    const float *x = (const float*)call->inputs[0].data, *w = (const float*)call->inputs[1].data;
    float *dx = (float*)call->in_grads[0].data, *dw = (float*)call->in_grads[1].data;
    int64_t width = call->inputs[1].shape[0];
    if (call->n_states != 1 || ((float*)call->states[0].data)[0] < 1) return opforge_fail(call, OPFORGE_ERROR, "the state is not there");
    memset(dw, 0, (size_t)call->in_grads[1].byte_size);
    for (int64_t i = 0; i < opforge_count(call->out_grads); i++) {
        dx[i] = head[i] * w[i % width];
        dw[i % width] += head[i] * x[i];
    }
    return OPFORGE_OK;
}

/* -- half: float16 to float32, doubled, and back --------------------------------------------------------- */

static int32_t half_forward(opforge_call* call) {
    int64_t count = opforge_count(call->inputs);
    float* wide = (float*)call->host->scratch(call, count * 4);
    if (wide == NULL) return OPFORGE_NO_MEMORY;
    const opforge_dtype wrong[] = {OPFORGE_UNKNOWN, 0, OPFORGE_FLOAT8_E4M3FN, OPFORGE_DTYPE(OPFORGE_CODE_FLOAT, 32, 4)};
    for (int k = 0; k < 4; k++) {
        if (call->host->convert(call, wrong[k], wide, OPFORGE_FLOAT32, wide, 1) != OPFORGE_BAD_DTYPE) return OPFORGE_ERROR;
        if (call->host->convert(call, OPFORGE_FLOAT32, wide, wrong[k], wide, 1) != OPFORGE_BAD_DTYPE) return OPFORGE_ERROR;
    }
    if (call->host->convert(call, OPFORGE_FLOAT32, wide, OPFORGE_FLOAT32, wide, -1) != OPFORGE_BAD_SHAPE) return OPFORGE_ERROR;
    int32_t status = call->host->convert(call, OPFORGE_FLOAT16, call->inputs[0].data, OPFORGE_FLOAT32, wide, count);
    for (int64_t i = 0; i < count; i++) wide[i] *= 2;
    return status ? status : call->host->convert(call, OPFORGE_FLOAT32, wide, OPFORGE_FLOAT16, call->outputs[0].data, count);
}

/* -- the library ------------------------------------------------------------------------------------------ */

#define OPERATOR(op, ...) \
    static const opforge_operator op = {.head = OPFORGE_HEAD(opforge_operator), .name = "abi_" #op, __VA_ARGS__};

OPERATOR(gemm, .infer = like_third, .forward = gemm_forward)
OPERATOR(faults, .infer = like_first, .forward = faults_forward)
OPERATOR(routines, .infer = routines_infer, .forward = routines_forward)
OPERATOR(planned, .infer = like_first, .plan = planned_plan, .unplan = planned_unplan, .forward = planned_forward,
         .backward = planned_backward)
OPERATOR(workers, .infer = like_first, .forward = workers_forward)
OPERATOR(both, .infer = like_first, .forward = both_forward, .backward = both_backward, .flags = OPFORGE_WANTED)
OPERATOR(affine, .infer = like_first, .forward = affine_forward, .backward = affine_backward)
OPERATOR(counted, .complete = counted_complete, .forward = counted_forward, .backward = counted_backward)
OPERATOR(half, .infer = like_first, .forward = half_forward)

OPFORGE_LIBRARY_OF(library, &gemm, &faults, &routines, &planned, &workers, &both, &affine, &counted, &half);

static PyObject* plans(PyObject* self, PyObject* arguments) {
    (void)self, (void)arguments;
    return Py_BuildValue("ii", atomic_load(&plans_made), atomic_load(&plans_freed));
}

static PyObject* wanted(PyObject* self, PyObject* arguments) {
    (void)self, (void)arguments;
    return PyLong_FromLong(atomic_load(&wanted_seen));
}

static PyMethodDef methods[] = {{"plans", plans, METH_NOARGS, "Plans made and freed."},
                                {"wanted", wanted, METH_NOARGS, "Bits of the gradients last wanted."},
                                {0}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "heavy", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit_heavy(void) {
    return opforge_create_module(&definition, &library);
}
