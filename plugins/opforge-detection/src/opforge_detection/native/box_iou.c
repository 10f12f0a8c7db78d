/* The operator _contrib_box_iou. */
#include <opforge/float16.h>

#include "operators.h"
#include "arena.h"

/* BLOCK: boxes of the right side at a time. PART: minimum number of overlaps in a part of the loop. */
enum { BLOCK = 256, PART = 4096 };

typedef struct iou_work {
    const void *lhs, *rhs;
    void* out;
    int64_t n_rhs;
    int is_center;
} iou_work;

#define KERNELS "kernels/box_iou.h"
#include "kernels/for_types.h"

static int32_t forward(opforge_call* call) {
    if (opforge_is_half(call->inputs[0].dtype)) return opforge_in_float32(call, forward);
    const opforge_tensor *lhs = &call->inputs[0], *rhs = &call->inputs[1];
    int64_t n_lhs = opforge_count(lhs) / 4, n_rhs = opforge_count(rhs) / 4;
    int is_center = strcmp(opforge_find(call, "format")->text, "center") == 0;
    iou_work w = {lhs->data, rhs->data, call->outputs[0].data, n_rhs, is_center};
    if (n_lhs == 0 || n_rhs == 0) return OPFORGE_OK;
    arena needed = {NULL, 0};
    make_edges_f64(&needed, BLOCK);
    return call->host->parallel(call, n_lhs, 1 + PART / n_rhs, needed.offset,
                                lhs->dtype == OPFORGE_FLOAT32 ? iou_part_f32 : iou_part_f64, &w);
}

const opforge_operator detection_box_iou = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "_contrib_box_iou",
    .forward = forward,
};
