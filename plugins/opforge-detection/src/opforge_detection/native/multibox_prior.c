/* The operator _contrib_MultiBoxPrior. */
#include <opforge/float16.h>
#include <tgmath.h>

#include "operators.h"

enum { PART = 4096 }; /* minimum number of boxes in a part of the loop */

typedef struct prior_work {
    const double *sizes, *ratios;
    int64_t n_sizes, n_boxes, height, width; /* n_boxes: around each pixel */
    const double *steps, *offsets;           /* (y, x) */
    int clips;
    void* out;
} prior_work;

#define KERNELS "kernels/multibox_prior.h"
#include "kernels/for_types.h"

static int32_t forward(opforge_call* call) {
    if (call->outputs[0].byte_size == 0) return OPFORGE_OK;
    if (opforge_is_half(call->outputs[0].dtype)) return opforge_in_float32(call, forward);
    const opforge_attribute *sizes = opforge_find(call, "sizes"), *ratios = opforge_find(call, "ratios");
    prior_work w = {.sizes = sizes->numbers, .ratios = ratios->numbers, .n_sizes = sizes->size};
    w.n_boxes = sizes->size + ratios->size - 1;
    w.height = call->inputs[0].shape[2];
    w.width = call->inputs[0].shape[3];
    w.steps = opforge_find(call, "steps")->numbers;
    w.offsets = opforge_find(call, "offsets")->numbers;
    w.clips = opforge_find(call, "clip")->integer != 0;
    w.out = call->outputs[0].data;
    return call->host->parallel(call, w.height, 1 + PART / (w.width * w.n_boxes), 0,
                                call->outputs[0].dtype == OPFORGE_FLOAT32 ? rows_part_f32 : rows_part_f64, &w);
}

const opforge_operator detection_multibox_prior = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "_contrib_MultiBoxPrior",
    .forward = forward,
};
