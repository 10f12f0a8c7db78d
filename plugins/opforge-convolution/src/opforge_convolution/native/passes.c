#include "passes.h"

#include <stdlib.h>

#include "staging.h"

enum { FINISHED_AT_ONCE = 1 << 13 }; /* elements that are worth a part of a loop */

typedef struct passes {
    conv_plan of[2];
    int32_t count;
} passes;

/* -- one pass ---------------------------------------------------------------------------------------------- */

/* Kernels for the stored type come first, then those for the type that it is computed in. */
static int32_t plan_pass(opforge_call* call, conv_storage storage, conv_plan* plan) {
    int32_t status = OPFORGE_OK;
    plan->shape.dtype = storage.dtype;
    if (!storage.channels_last) status = conv_fast_plan(call, plan);
    if (status || plan->run != NULL) return status;
    plan->shape.dtype = opforge_computed_in(storage.dtype);
    if (!conv_is_direct(storage)) status = conv_fast_plan(call, plan);
    if (!status && plan->run == NULL) status = conv_general_plan(call, plan);
    return status || conv_is_direct(storage) ? status : conv_stage(storage, plan);
}

/* -- all of a call ----------------------------------------------------------------------------------------- */

/* Add a pass of the convolution of `data` to `out`. There are at most two, which run one after the other in one
 * workspace. */
static int32_t add_pass(opforge_call* call, const conv_settings* s, const opforge_tensor* data, const opforge_tensor* out,
                        conv_pass pass) {
    passes* all = (passes*)call->plan;
    conv_plan* plan = &all->of[all->count];
    conv_storage storage = {data->dtype, s->channels_last};
    plan->shape = conv_shape_of(s, data, out);
    plan->pass = pass;
    int32_t status = plan_pass(call, storage, plan);
    if (status) return status;
    all->count++;
    if (call->workspace_bytes < plan->workspace_bytes) call->workspace_bytes = plan->workspace_bytes;
    return OPFORGE_OK;
}

int32_t conv_plan_passes(opforge_call* call, const conv_settings* s, const opforge_tensor* data,
                         const opforge_tensor* out, conv_pass forward, conv_pass backward) {
    call->workspace_bytes = 0;
    call->plan = calloc(1, sizeof(passes));
    if (call->plan == NULL) return OPFORGE_NO_MEMORY;
    int32_t status = OPFORGE_OK;
    if (call->stage == OPFORGE_FORWARD) status = add_pass(call, s, data, out, forward);
    else {
        if (call->wanted[0]) status = add_pass(call, s, data, out, backward);
        if (!status && call->wanted[1]) status = add_pass(call, s, data, out, CONV_WEIGHT);
    }
    if (status) conv_unplan(call);
    return status;
}

int32_t conv_unplan(opforge_call* call) {
    passes* all = (passes*)call->plan;
    for (int32_t i = 0; i < all->count; i++) {
        if (all->of[i].end != NULL) all->of[i].end(all->of[i].context);
    }
    free(all);
    return OPFORGE_OK;
}

/* Apply the epilogue to a part of the output. */
static int32_t finish_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    opforge_call* call = (opforge_call*)argument;
    const opforge_tensor* out = &call->outputs[0];
    (void)worker;
    return call->host->epilogue(call, (char*)out->data + begin * opforge_item_size(out->dtype), begin, end - begin);
}

int32_t conv_run_pass(opforge_call* call, conv_pass pass, conv_arrays arrays) {
    const passes* all = (const passes*)call->plan;
    const conv_plan* plan = NULL;
    for (int32_t i = 0; i < all->count; i++) {
        if (all->of[i].pass == pass) plan = &all->of[i];
    }
    if (plan == NULL) return OPFORGE_OK;
    arrays.workspace = call->workspace;
    arrays.epilogue = plan->finishes && call->n_epilogue > 0;
    int32_t status = plan->run(call, plan, &arrays);
    if (status || plan->finishes || call->n_epilogue == 0) return status;
    return call->host->parallel(call, opforge_count(&call->outputs[0]), FINISHED_AT_ONCE, 0, finish_part, call);
}
