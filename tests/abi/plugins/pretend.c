/* Memory of the pretended device, and kernels there for an operator of the core and one of a plugin. */
#include "pretend.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

/* -- memory ----------------------------------------------------------------------------------------------- */

typedef struct { int64_t id, byte_size, padding[6]; } block_head; /* in front of each block; 64 bytes */

static atomic_llong live, synchronized, most_bytes = INT64_MAX;
static _Thread_local const char* failure;

static void* pretend_allocate(opforge_device device, int64_t byte_size) {
    block_head* head = NULL;
    if (byte_size > most_bytes ||
        posix_memalign((void**)&head, 64, sizeof(block_head) + (size_t)byte_size) != 0) {
        failure = "the pretended device is full";
        return NULL;
    }
    head->id = device.id;
    head->byte_size = byte_size;
    memset(head + 1, 0xAB, (size_t)byte_size);
    live += 1;
    return pretend_address(head + 1);
}

static void pretend_release(opforge_device device, void* data) {
    block_head* head = (block_head*)host_address(data) - 1;
    if (head->id != device.id) abort();
    live -= 1;
    free(head);
}

static int32_t pretend_copy(opforge_device to, void* y, opforge_device from, const void* x, int64_t byte_size) {
    if (byte_size == 13) {
        failure = "13 bytes are bad luck";
        return 1;
    }
    memcpy(to.type == PRETEND ? host_address(y) : y, from.type == PRETEND ? host_address(x) : x,
           (size_t)byte_size);
    return 0;
}

static int32_t pretend_synchronize(opforge_device device) {
    (void)device;
    synchronized += 1;
    return 0;
}

static const char* pretend_error(void) { return failure; }

static const opforge_memory memory = {
    .head = OPFORGE_HEAD(opforge_memory), .device_type = PRETEND, .n_devices = PRETEND_DEVICES,
    .allocate = pretend_allocate, .release = pretend_release, .copy = pretend_copy,
    .synchronize = pretend_synchronize, .stream = pretend_stream, .last_error = pretend_error};

/* -- kernels ------------------------------------------------------------------------------------------------ */

static const float* in(const opforge_tensor* tensor) { return (const float*)host_address(tensor->data); }
static float* out(const opforge_tensor* tensor) { return (float*)host_address(tensor->data); }

static int64_t rows_of(const opforge_call* call) { return call->inputs[0].shape[0]; }
static int64_t inner_of(const opforge_call* call) { return call->inputs[1].shape[1]; }
static int64_t units_of(const opforge_call* call) { return call->inputs[1].shape[0]; }

static int32_t dense_forward(opforge_call* call) {
    const int64_t inner = inner_of(call), units = units_of(call);
    const float *x = in(&call->inputs[0]), *w = in(&call->inputs[1]);
    if (call->stream != pretend_stream(call->device)) return opforge_fail(call, OPFORGE_ERROR, "stream");
    for (int64_t i = 0; i < rows_of(call); i++) {
        for (int64_t j = 0; j < units; j++) {
            float sum = call->n_inputs == 3 ? in(&call->inputs[2])[j] : 0;
            for (int64_t k = 0; k < inner; k++) sum += x[i * inner + k] * w[j * inner + k];
            out(&call->outputs[0])[i * units + j] = sum;
        }
    }
    return OPFORGE_OK;
}

static int32_t dense_backward(opforge_call* call) {
    const int64_t rows = rows_of(call), inner = inner_of(call), units = units_of(call);
    const float *x = in(&call->inputs[0]), *w = in(&call->inputs[1]), *dy = in(&call->out_grads[0]);
    float *dx = out(&call->in_grads[0]), *dw = out(&call->in_grads[1]);
    memset(dx, 0, (size_t)call->in_grads[0].byte_size);
    memset(dw, 0, (size_t)call->in_grads[1].byte_size);
    if (call->n_inputs == 3) memset(out(&call->in_grads[2]), 0, (size_t)call->in_grads[2].byte_size);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < units; j++) {
            const float g = dy[i * units + j];
            if (call->n_inputs == 3) out(&call->in_grads[2])[j] += g;
            for (int64_t k = 0; k < inner; k++) {
                dx[i * inner + k] += g * w[j * inner + k];
                dw[j * inner + k] += g * x[i * inner + k];
            }
        }
    }
    return OPFORGE_OK;
}

/* Only act_type="tanh". */
static int32_t activation_forward(opforge_call* call) {
    const opforge_attribute* kind = opforge_find(call, "act_type");
    if (kind == NULL || strcmp(kind->text, "tanh") != 0) {
        return opforge_fail(call, OPFORGE_BAD_ATTRIBUTE, "act_type must be 'tanh' on this device");
    }
    for (int64_t i = 0; i < opforge_count(&call->outputs[0]); i++) {
        out(&call->outputs[0])[i] = tanhf(in(&call->inputs[0])[i]);
    }
    return OPFORGE_OK;
}

static int32_t activation_backward(opforge_call* call) {
    for (int64_t i = 0; i < opforge_count(&call->in_grads[0]); i++) {
        const float y = in(&call->outputs[0])[i];
        out(&call->in_grads[0])[i] = in(&call->out_grads[0])[i] * (1 - y * y);
    }
    return OPFORGE_OK;
}

static int32_t add(opforge_call* call) {
    const int64_t n = opforge_count(&call->outputs[0]);
    for (int64_t i = 0; i < n; i++) {
        out(&call->outputs[0])[i] =
            in(&call->inputs[0])[i % opforge_count(&call->inputs[0])] +
            in(&call->inputs[1])[i % opforge_count(&call->inputs[1])];
    }
    return OPFORGE_OK;
}

/* -- the module: a library for each distribution, the memory, and counters --------------------------------- */

#define KERNEL(id, title, ...)               \
    static const opforge_operator id = {     \
        .head = OPFORGE_HEAD(opforge_operator), .name = title, .device_type = PRETEND, __VA_ARGS__};

KERNEL(dense, "FullyConnected", .forward = dense_forward, .backward = dense_backward)
KERNEL(plus, "broadcast_add", .forward = add)
KERNEL(activation, "Activation", .forward = activation_forward, .backward = activation_backward)

OPFORGE_LIBRARY_OF(core_library, &dense, &plus);
OPFORGE_LIBRARY_OF(sigmoid_library, &activation);

static PyObject* counters(PyObject* self, PyObject* none) {
    (void)self;
    (void)none;
    return Py_BuildValue("LL", (long long)live, (long long)synchronized);
}

static PyObject* limit(PyObject* self, PyObject* bytes) {
    (void)self;
    most_bytes = PyLong_AsLongLong(bytes);
    Py_RETURN_NONE;
}

PyMODINIT_FUNC PyInit_pretend(void) {
    static PyMethodDef methods[] = {{"counters", counters, METH_NOARGS, NULL},
                                    {"limit", limit, METH_O, NULL},
                                    {NULL, NULL, 0, NULL}};
    static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "pretend", NULL, -1, methods, NULL, NULL, NULL, NULL};
    PyObject* module = PyModule_Create(&definition);
    if (module == NULL) return NULL;
    PyModule_AddObject(module, OPFORGE_MEMORY, PyCapsule_New((void*)&memory, OPFORGE_MEMORY, NULL));
    PyModule_AddObject(module, "core", PyCapsule_New((void*)&core_library, OPFORGE_LIBRARY, NULL));
    PyModule_AddObject(module, "sigmoid", PyCapsule_New((void*)&sigmoid_library, OPFORGE_LIBRARY, NULL));
    return module;
}
