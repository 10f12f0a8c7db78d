#include "staging.h"

#include <stdlib.h>

#include "transposed.h"

enum { ALIGNMENT = 64 };

/* An array as pictures of some places and channels. */
typedef struct stage {
    int64_t pictures, channels, places;
    int64_t offset; /* of the copy, in the workspace */
} stage;

/* The plan of the pass over the copies. The workspace is theirs, in this order, and then the pass's. */
typedef struct staged {
    conv_plan inner;
    conv_storage storage;
    stage data, weight, out, bias;
    int64_t inner_offset;
} staged;

/* -- one array ------------------------------------------------------------------------------------------------- */

/* A copy in either direction, for the parts of its loop. */
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
    int32_t dtype = w->plan->inner.shape.dtype, status = OPFORGE_OK;
    int64_t n = s->channels * s->places;
    int swaps = storage.channels_last && s->channels > 1 && s->places > 1;
    for (int64_t picture = begin; picture < end && !status; picture++) {
        char *stored = w->stored + picture * n * opforge_item_size(storage.dtype);
        char *staged = w->staged + picture * n * opforge_item_size(dtype);
        char* between = !swaps ? staged : storage.dtype == dtype ? stored : (char*)worker->scratch;
        if (w->back && swaps) conv_transpose(dtype, staged, s->channels, s->places, between, s->channels);
        if (between != stored) {
            if (w->back) status = w->call->host->convert(w->call, dtype, between, storage.dtype, stored, n);
            else status = w->call->host->convert(w->call, storage.dtype, stored, dtype, between, n);
        }
        if (!w->back && swaps) conv_transpose(dtype, between, s->places, s->channels, staged, s->places);
    }
    return status;
}

static int32_t copy(opforge_call* call, const staged* plan, const stage* stage, void* stored, int back) {
    copying w = {call, plan, stage, (char*)stored, (char*)call->workspace + stage->offset, back};
    int64_t n = stage->channels * stage->places, grain = (1 << 14) / (n + 1) + 1;
    return call->host->parallel(call, stage->pictures, grain, n * opforge_item_size(plan->inner.shape.dtype), copy_part, &w);
}

/* -- the pass -------------------------------------------------------------------------------------------------- */

static int32_t run_staged(opforge_call* call, const conv_plan* plan, const conv_arrays* given) {
    const staged* p = (const staged*)plan->own;
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

static void end_staged(void* own) {
    staged* p = (staged*)own;
    if (p->inner.end != NULL) p->inner.end(p->inner.own);
    free(p);
}

/* The place of a copy behind what was placed before. */
static stage place(conv_plan* plan, int64_t pictures, int64_t channels, int64_t places) {
    stage placed = {pictures, channels, places, plan->workspace_bytes};
    int64_t bytes = pictures * channels * places * opforge_item_size(plan->shape.dtype);
    plan->workspace_bytes += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return placed;
}

int32_t conv_stage(conv_storage storage, conv_plan* plan) {
    const conv_shape* s = &plan->shape;
    staged* p = (staged*)calloc(1, sizeof *p);
    if (p == NULL) {
        if (plan->end != NULL) plan->end(plan->own);
        return OPFORGE_NO_MEMORY;
    }
    p->storage = storage;
    p->inner = *plan;
    plan->workspace_bytes = 0;
    p->data = place(plan, s->n, s->groups * s->in_channels, conv_volume(s->in));
    p->weight = place(plan, s->groups * s->out_channels, s->in_channels, conv_volume(s->kernel));
    p->out = place(plan, s->n, s->groups * s->out_channels, conv_volume(s->out));
    p->bias = place(plan, 1, s->groups * (plan->pass == CONV_OUT ? s->out_channels : s->in_channels), 1);
    p->inner_offset = plan->workspace_bytes;
    plan->workspace_bytes += p->inner.workspace_bytes;
    plan->finishes = 0; /* its results are copied first */
    plan->run = run_staged;
    plan->own = p;
    plan->end = end_staged;
    return OPFORGE_OK;
}
