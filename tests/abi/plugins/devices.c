/* Operators with functions for several types of devices. OPFORGE_EXT_DEV is the pretended device. */
#include "pretend.h"

#include <stdatomic.h>
#include <stdlib.h>

static int32_t infer(opforge_call* call) {
    opforge_like(&call->outputs[0], &call->inputs[0]);
    return OPFORGE_OK;
}

static int on_device(const opforge_tensor* tensors, int32_t n, opforge_device device) {
    for (int32_t i = 0; i < n; i++) {
        if (tensors[i].device.type != device.type || tensors[i].device.id != device.id) return 0;
    }
    return 1;
}

static double* doubles(const opforge_tensor* tensor) {
    return (double*)(tensor->device.type == PRETEND ? host_address(tensor->data) : tensor->data);
}

/* -- whereabouts: the type and id of the call's device, which all its arrays must have ---------------- */

static int32_t whereabouts(opforge_call* call, int32_t type) {
    if (call->device.type != type || !on_device(call->inputs, call->n_inputs, call->device) ||
        !on_device(call->outputs, call->n_outputs, call->device) ||
        call->stream != (type == PRETEND ? pretend_stream(call->device) : NULL)) {
        return opforge_fail(call, OPFORGE_ERROR, "the devices or the stream are wrong");
    }
    for (int64_t i = 0; i < opforge_count(call->outputs); i++) {
        doubles(call->outputs)[i] = 100 * call->device.type + call->device.id;
    }
    return OPFORGE_OK;
}

static int32_t on_cpu(opforge_call* call) { return whereabouts(call, OPFORGE_CPU); }
static int32_t on_other(opforge_call* call) { return whereabouts(call, OPFORGE_EXT_DEV); }

/* Fill the gradient with the type of the device. */
static int32_t backward(opforge_call* call) {
    if (!on_device(call->in_grads, call->n_inputs, call->device)) return OPFORGE_ERROR;
    for (int64_t i = 0; i < opforge_count(call->in_grads); i++) {
        doubles(call->in_grads)[i] = call->device.type;
    }
    return OPFORGE_OK;
}

/* -- memory: state and plan in memory of the host's allocator ------------------------------------------ */

static int32_t memory_create(opforge_call* call) {
    static const int64_t alignments[] = {0, 1, 64, 256, 4096};
    const opforge_device cuda = {OPFORGE_CUDA, 0};
    if (call->host->allocate(call, cuda, 8, 0) != NULL) return opforge_fail(call, OPFORGE_ERROR, "CUDA memory");
    if (call->host->allocate(call, call->device, 8, 48) != NULL) return opforge_fail(call, OPFORGE_ERROR, "48");
    if (call->host->allocate(call, call->device, 8, 8192) != NULL) return opforge_fail(call, OPFORGE_ERROR, "8192");
    if (call->host->allocate(call, call->device, -1, 0) != NULL) return opforge_fail(call, OPFORGE_ERROR, "-1");
    if (call->host->allocate(call, call->device, INT64_MAX, 0) != NULL) return opforge_fail(call, OPFORGE_ERROR, "max");
    call->host->release(call, call->device, NULL);
    for (int k = 0; k < 5; k++) {
        int64_t at_least = alignments[k] < 64 ? 64 : alignments[k];
        void* memory = call->host->allocate(call, call->device, 1000, alignments[k]);
        if (memory == NULL || (uintptr_t)memory % (uintptr_t)at_least) {
            return opforge_fail(call, OPFORGE_ERROR, "%p is not aligned", memory);
        }
        memset(memory, k, 1000);
        call->host->release(call, call->device, memory);
    }
    call->state = call->host->allocate(call, call->device, sizeof(double), 0);
    if (call->state == NULL) return OPFORGE_NO_MEMORY;
    *(double*)call->state = 7;
    return OPFORGE_OK;
}

static int32_t memory_destroy(opforge_call* call) {
    call->host->release(call, call->device, call->state);
    return OPFORGE_OK;
}

static int32_t memory_plan(opforge_call* call) {
    call->plan = call->host->allocate(call, call->device, 4096, 4096);
    return call->plan == NULL ? OPFORGE_NO_MEMORY : OPFORGE_OK;
}

static int32_t memory_unplan(opforge_call* call) {
    call->host->release(call, call->device, call->plan);
    return OPFORGE_OK;
}

/* Allocate and release in loop bodies. */
static int32_t memory_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    opforge_call* call = (opforge_call*)argument;
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        double* cell = (double*)call->host->allocate(call, call->device, 64 + i, 0);
        if (cell == NULL) return OPFORGE_NO_MEMORY;
        *cell = *(const double*)call->state + (double)i;
        ((double*)call->outputs[0].data)[i] = *cell;
        call->host->release(call, call->device, cell);
    }
    return OPFORGE_OK;
}

static int32_t memory_forward(opforge_call* call) {
    return call->host->parallel(call, opforge_count(call->outputs), 8, 0, memory_part, call);
}

/* -- missing: reports that CUDA memory could not be allocated -------------------------------------------- */

static int32_t missing_forward(opforge_call* call) {
    const opforge_device cuda = {OPFORGE_CUDA, 0};
    return call->host->allocate(call, cuda, 8, 0) == NULL ? OPFORGE_NO_MEMORY : OPFORGE_OK;
}

/* -- the library ------------------------------------------------------------------------------------------- */

#define OPERATOR(id, title, ...) \
    static const opforge_operator id = {.head = OPFORGE_HEAD(opforge_operator), .name = title, .infer = infer, __VA_ARGS__};

OPERATOR(both_cpu, "abi_both_devices", .forward = on_cpu, .backward = backward)
OPERATOR(both_other, "abi_both_devices", .device_type = OPFORGE_EXT_DEV, .forward = on_other, .backward = backward)
OPERATOR(cpu_only, "abi_cpu_only", .device_type = OPFORGE_CPU, .forward = on_cpu)
OPERATOR(other_only, "abi_other_only", .device_type = OPFORGE_EXT_DEV, .forward = on_other)
OPERATOR(uneven_cpu, "abi_uneven", .forward = on_cpu, .backward = backward)
OPERATOR(uneven_other, "abi_uneven", .device_type = OPFORGE_CUDA, .forward = on_other)
OPERATOR(memory, "abi_memory", .create = memory_create, .destroy = memory_destroy, .plan = memory_plan,
         .unplan = memory_unplan, .forward = memory_forward)
OPERATOR(missing, "abi_missing", .forward = missing_forward)

OPFORGE_MODULE(devices, &both_other, &both_cpu, &cpu_only, &other_only, &uneven_cpu, &uneven_other, &memory, &missing);
