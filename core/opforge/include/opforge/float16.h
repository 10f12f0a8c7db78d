/* float16 operators without kernels of their own: compute in float32, and round what comes out.
 *
 * `opforge_in_float32(call, function)` runs a forward or backward function on float32 copies of the
 * call's float16 arrays. They lie in memory of the call: a function that plans for float16 arrays of
 * its own needs less. Like abi.h's conveniences it is part of your plugin, not of the interface. */
#ifndef OPFORGE_FLOAT16_H
#define OPFORGE_FLOAT16_H

#include "abi.h"

/* One conversion, for the parts of its loop. */
typedef struct opforge_conversion {
    opforge_call* call;
    const char* from;
    char* to;
    int32_t from_type;
    int32_t to_type;
} opforge_conversion;

static inline void opforge_convert_part(void* argument, int64_t begin, int64_t end) {
    const opforge_conversion* c = (const opforge_conversion*)argument;
    c->call->host->convert(c->call, c->from_type, c->from + begin * opforge_item_size(c->from_type),
                           c->to_type, c->to + begin * opforge_item_size(c->to_type), end - begin);
}

/* Copies of `n` tensors, their float16 arrays being float32 and filled where `reads`; NULL without
 * memory. Arrays without data stay so. */
static inline opforge_tensor* opforge_widened(opforge_call* call, const opforge_tensor* tensors, int32_t n,
                                              int reads) {
    opforge_tensor* copies = (opforge_tensor*)call->host->scratch(call, (n + 1) * (int64_t)sizeof *copies);
    if (copies == NULL) return NULL;
    for (int32_t i = 0; i < n; i++) {
        copies[i] = tensors[i];
        if (tensors[i].dtype != OPFORGE_FLOAT16) continue;
        copies[i].dtype = OPFORGE_FLOAT32;
        copies[i].strides = NULL;
        copies[i].byte_size = tensors[i].byte_size * 2;
        if (tensors[i].data == NULL || tensors[i].byte_size == 0) continue;
        copies[i].data = call->host->scratch(call, copies[i].byte_size);
        if (copies[i].data == NULL) return NULL;
        if (!reads) continue;
        opforge_conversion c = {call, (const char*)tensors[i].data, (char*)copies[i].data, OPFORGE_FLOAT16,
                                OPFORGE_FLOAT32};
        call->host->parallel_for(call, tensors[i].byte_size / 2, 16384, opforge_convert_part, &c);
    }
    return copies;
}

/* Rounds float32 copies into the float16 arrays that they stand for. */
static inline void opforge_narrow(opforge_call* call, const opforge_tensor* copies,
                                  const opforge_tensor* tensors, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        if (tensors[i].dtype != OPFORGE_FLOAT16 || copies[i].data == NULL) continue;
        opforge_conversion c = {call, (const char*)copies[i].data, (char*)tensors[i].data, OPFORGE_FLOAT32,
                                OPFORGE_FLOAT16};
        call->host->parallel_for(call, tensors[i].byte_size / 2, 16384, opforge_convert_part, &c);
    }
}

/* Run `forward` or `backward` in float32. The arrays' `strides` are NULL there. */
static inline int32_t opforge_in_float32(opforge_call* call, opforge_function function) {
    const opforge_call given = *call;
    int backward = given.out_grads != NULL;
    call->inputs = opforge_widened(call, given.inputs, given.n_inputs, 1);
    call->outputs = opforge_widened(call, given.outputs, given.n_outputs, backward);
    call->out_grads = backward ? opforge_widened(call, given.out_grads, given.n_outputs, 1) : NULL;
    call->in_grads = backward ? opforge_widened(call, given.in_grads, given.n_inputs, 0) : NULL;
    int32_t status = OPFORGE_NO_MEMORY;
    if (call->inputs != NULL && call->outputs != NULL &&
        (!backward || (call->out_grads != NULL && call->in_grads != NULL))) {
        status = function(call);
        if (!status && backward) opforge_narrow(call, call->in_grads, given.in_grads, given.n_inputs);
        if (!status && !backward) opforge_narrow(call, call->outputs, given.outputs, given.n_outputs);
    }
    call->inputs = given.inputs;
    call->outputs = given.outputs;
    call->out_grads = given.out_grads;
    call->in_grads = given.in_grads;
    return status;
}

#endif
