#include "staging.h"

#include <stdlib.h>

#include "transposed.h"

enum { ALIGNMENT = 64 };

/* An array as images of some positions and channels. */
typedef struct stage {
    int64_t images, channels, positions;
    int64_t offset; /* of the copy in the workspace */
} stage;

/* The plan of the pass over the copies. The workspace holds the copies in this order, then that of the pass. */
typedef struct staged {
    conv_plan inner;
    conv_storage storage;
    stage data, weight, out, bias;
    int64_t inner_offset;
} staged;

/* -- one array ------------------------------------------------------------------------------------------------- */

/* A conversion in either direction, for the parts of its loop. */
typedef struct copying {
    opforge_call* call;
    const staged* plan;
    const stage* stage;
    char *stored, *staged;
    int back;
} copying;

static int32_t copy_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const copying* w = (const copying*)argument;
    const stage* s = w->stage;
    conv_storage storage = w->plan->storage;
    opforge_dtype dtype = w->plan->inner.shape.dtype;
    int32_t status = OPFORGE_OK;
    int64_t n = s->channels * s->positions;
    int swaps = storage.channels_last && s->channels > 1 && s->positions > 1;
    for (int64_t image = begin; image < end && !status; image++) {
        char *stored = w->stored + image * n * opforge_item_size(storage.dtype);
        char *staged = w->staged + image * n * opforge_item_size(dtype);
        char* between = !swaps ? staged : storage.dtype == dtype ? stored : (char*)worker->scratch;
        if (w->back && swaps) conv_transpose(dtype, staged, s->channels, s->positions, between, s->channels);
        if (between != stored) {
            if (w->back) status = w->call->host->convert(w->call, dtype, between, storage.dtype, stored, n);
            else status = w->call->host->convert(w->call, storage.dtype, stored, dtype, between, n);
        }
        if (!w->back && swaps) conv_transpose(dtype, between, s->positions, s->channels, staged, s->positions);
    }
    return status;
}

static int32_t copy(opforge_call* call, const staged* plan, const stage* stage, void* stored, int back) {
    copying w = {call, plan, stage, (char*)stored, (char*)call->workspace + stage->offset, back};
    int64_t n = stage->channels * stage->positions, grain = (1 << 14) / (n + 1) + 1;
    return call->host->parallel(call, stage->images, grain, n * opforge_item_size(plan->inner.shape.dtype), copy_part, &w);
}

/* -- the pass -------------------------------------------------------------------------------------------------- */

static int32_t run_staged(opforge_call* call, const conv_plan* plan, const conv_arrays* given) {
    const staged* p = (const staged*)plan->context;
    char* workspace = (char*)call->workspace;
    conv_arrays arrays = {
        .data = workspace + p->data.offset, .weight = workspace + p->weight.offset, .out = workspace + p->out.offset,
        .bias = given->bias == NULL ? NULL : workspace + p->bias.offset, .workspace = workspace + p->inner_offset,
    };
    int32_t status = OPFORGE_OK;
    if (plan->pass != CONV_DATA) status = copy(call, p, &p->data, given->data, 0);
    if (!status && plan->pass != CONV_WEIGHT) status = copy(call, p, &p->weight, given->weight, 0);
    if (!status && plan->pass != CONV_OUT) status = copy(call, p, &p->out, given->out, 0);
    if (!status && given->bias != NULL) status = copy(call, p, &p->bias, (void*)given->bias, 0);
    if (!status) status = p->inner.run(call, &p->inner, &arrays);
    if (status) return status;
    if (plan->pass == CONV_DATA) return copy(call, p, &p->data, given->data, 1);
    if (plan->pass == CONV_WEIGHT) return copy(call, p, &p->weight, given->weight, 1);
    return copy(call, p, &p->out, given->out, 1);
}

static void end_staged(void* context) {
    staged* p = (staged*)context;
    if (p->inner.end != NULL) p->inner.end(p->inner.context);
    free(p);
}

/* Allocate a copy in the workspace after the earlier ones. */
static stage allocate(conv_plan* plan, int64_t images, int64_t channels, int64_t positions) {
    stage allocated = {images, channels, positions, plan->workspace_bytes};
    int64_t bytes = images * channels * positions * opforge_item_size(plan->shape.dtype);
    plan->workspace_bytes += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return allocated;
}

int32_t conv_stage(conv_storage storage, conv_plan* plan) {
    const conv_shape* s = &plan->shape;
    staged* p = (staged*)calloc(1, sizeof *p);
    if (p == NULL) {
        if (plan->end != NULL) plan->end(plan->context);
        return OPFORGE_NO_MEMORY;
    }
    p->storage = storage;
    p->inner = *plan;
    plan->workspace_bytes = 0;
    p->data = allocate(plan, s->n, s->groups * s->in_channels, conv_volume(s->in));
    p->weight = allocate(plan, s->groups * s->out_channels, s->in_channels, conv_volume(s->kernel));
    p->out = allocate(plan, s->n, s->groups * s->out_channels, conv_volume(s->out));
    p->bias = allocate(plan, 1, s->groups * (plan->pass == CONV_OUT ? s->out_channels : s->in_channels), 1);
    p->inner_offset = plan->workspace_bytes;
    plan->workspace_bytes += p->inner.workspace_bytes;
    plan->finishes = 0; /* its results are converted first */
    plan->run = run_staged;
    plan->context = p;
    plan->end = end_staged;
    return OPFORGE_OK;
}
