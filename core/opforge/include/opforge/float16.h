/* 16-bit floats for operators without kernels for them: compute in float32 and round the results.
 *
 * `opforge_in_float32(call, function)` runs a forward or backward function on float32 copies of the call's
 * float16 and bfloat16 arrays. The copies use scratch memory of the call; a function that handles 16-bit
 * floats itself needs less memory. Like the convenience functions of abi.h this is part of your plugin, not
 * of the interface. */
#ifndef OPFORGE_FLOAT16_H
#define OPFORGE_FLOAT16_H

#include "abi.h"

/* A conversion, divided among the parts of a loop. */
typedef struct opforge_conversion {
    opforge_call* call;
    const opforge_tensor *from, *to;
} opforge_conversion;

static inline void opforge_convert_part(void* argument, int64_t begin, int64_t end) {
    const opforge_conversion* c = (const opforge_conversion*)argument;
    const char* x = (const char*)c->from->data + begin * opforge_item_size(c->from->dtype);
    char* y = (char*)c->to->data + begin * opforge_item_size(c->to->dtype);
    c->call->host->convert(c->call, c->from->dtype, x, c->to->dtype, y, end - begin);
}

static inline void opforge_convert(opforge_call* call, const opforge_tensor* from, const opforge_tensor* to) {
    opforge_conversion c = {call, from, to};
    call->host->parallel_for(call, opforge_count(from), 16384, opforge_convert_part, &c);
}

/* Return copies of `n` tensors with 16-bit floats replaced by float32 arrays, which are filled if `reads`;
 * NULL if out of memory. Arrays without data stay without data. */
static inline opforge_tensor* opforge_widened(opforge_call* call, const opforge_tensor* tensors, int32_t n,
                                              int reads) {
    opforge_tensor* copies = (opforge_tensor*)call->host->scratch(call, (n + 1) * (int64_t)sizeof *copies);
    if (copies == NULL) return NULL;
    for (int32_t i = 0; i < n; i++) {
        copies[i] = tensors[i];
        if (!opforge_is_half(tensors[i].dtype)) continue;
        copies[i].dtype = OPFORGE_FLOAT32;
        copies[i].strides = NULL;
        copies[i].byte_size = tensors[i].byte_size * 2;
        if (tensors[i].data == NULL || tensors[i].byte_size == 0) continue;
        copies[i].data = call->host->scratch(call, copies[i].byte_size);
        if (copies[i].data == NULL) return NULL;
        if (reads) opforge_convert(call, &tensors[i], &copies[i]);
    }
    return copies;
}

/* Round float32 copies to the 16-bit arrays that they replace. */
static inline void opforge_narrow(opforge_call* call, const opforge_tensor* copies,
                                  const opforge_tensor* tensors, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        if (copies[i].dtype == tensors[i].dtype || copies[i].data == NULL) continue;
        opforge_convert(call, &copies[i], &tensors[i]);
    }
}

/* Run `forward` or `backward` in float32. The `strides` of the copies are NULL. */
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
