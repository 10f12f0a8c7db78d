/* The operator Correlation. */
#include <opforge/float16.h>

#include "operators.h"

#define MOST_BYTES (INT64_C(1) << 46) /* limit of a workspace */

/* Patches of the first image, `stride` pixels apart, are compared with those of the second that are up to `radius`
 * steps away along each axis. */
typedef struct correlation {
    int64_t images, channels, height, width, out_height, out_width;
    int64_t kernel, pad, stride, step, radius;
    int64_t reach; /* distance of the first patch from the border */
    int is_product;
    const void* data[2];
    void *padded[2], *grads[2];
    void* out; /* or its gradient */
} correlation;

OPFORGE_INLINE int64_t shifts_of(const correlation* k) { return (2 * k->radius + 1) * (2 * k->radius + 1); }
OPFORGE_INLINE int64_t padded_pixels(const correlation* k) {
    return (k->height + 2 * k->pad) * (k->width + 2 * k->pad);
}

#define KERNELS "kernels/correlation.h"
#include "kernels/for_types.h"

static correlation describe(const opforge_call* call) {
    const int64_t *data = call->inputs[0].shape, *out = call->outputs[0].shape;
    int64_t reach = opforge_find(call, "max_displacement")->integer, step = opforge_find(call, "stride2")->integer;
    return (correlation){.images = data[0], .channels = data[1], .height = data[2], .width = data[3],
                         .out_height = out[2], .out_width = out[3], .kernel = opforge_find(call, "kernel_size")->integer,
                         .pad = opforge_find(call, "pad_size")->integer, .stride = opforge_find(call, "stride1")->integer,
                         .step = step, .radius = reach / step, .reach = reach,
                         .is_product = opforge_find(call, "is_multiply")->integer != 0,
                         .data = {call->inputs[0].data, call->inputs[1].data}};
}

/* Plan the workspace of both padded images; pad_size may be arbitrarily large. */
static int32_t plan(opforge_call* call) {
    correlation k = describe(call);
    int64_t bytes = 2 * opforge_item_size(opforge_computed_in(call->inputs[0].dtype));
    if (__builtin_mul_overflow(bytes, k.height + 2 * k.pad, &bytes) ||
        __builtin_mul_overflow(bytes, k.width + 2 * k.pad, &bytes) ||
        __builtin_mul_overflow(bytes, 2 + k.images * k.channels, &bytes) || bytes > MOST_BYTES) {
        return OPFORGE_NO_MEMORY;
    }
    call->workspace_bytes = call->stage == OPFORGE_FORWARD ? bytes : 0;
    return OPFORGE_OK;
}

static int32_t forward(opforge_call* call) {
    if (opforge_is_half(call->inputs[0].dtype)) return opforge_in_float32(call, forward);
    correlation k = describe(call);
    int is_single = call->inputs[0].dtype == OPFORGE_FLOAT32;
    int64_t planes = k.images * k.channels, each = padded_pixels(&k);
    if (call->outputs[0].byte_size == 0) return OPFORGE_OK;
    k.out = call->outputs[0].data;
    k.padded[0] = call->workspace;
    k.padded[1] = (char*)call->workspace + planes * each * (is_single ? 4 : 8);
    int32_t status = call->host->parallel(call, planes, 1 + 8192 / each, 0, is_single ? pad_part_f32 : pad_part_f64, &k);
    if (status) return status;
    return call->host->parallel(call, k.images * shifts_of(&k), 1, 0,
                                is_single ? correlate_part_f32 : correlate_part_f64, &k);
}

static int32_t backward(opforge_call* call) {
    if (opforge_is_half(call->inputs[0].dtype)) return opforge_in_float32(call, backward);
    correlation k = describe(call);
    int is_single = call->inputs[0].dtype == OPFORGE_FLOAT32;
    int64_t scratch = 4 * padded_pixels(&k) * (is_single ? 4 : 8);
    if (call->inputs[0].byte_size == 0) return OPFORGE_OK;
    k.out = call->out_grads[0].data;
    for (int i = 0; i < 2; i++) k.grads[i] = call->in_grads[i].data;
    return call->host->parallel(call, k.images * k.channels, 1, scratch,
                                is_single ? part_correlation_f32 : part_correlation_f64, &k);
}

const opforge_operator detection_correlation = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "Correlation",
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .flags = OPFORGE_WANTED,
};
