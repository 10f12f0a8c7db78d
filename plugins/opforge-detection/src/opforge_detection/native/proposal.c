/* The operators _contrib_Proposal and _contrib_MultiProposal. */
#include <opforge/float16.h>
#include <tgmath.h>

#include "images.h"
#include "operators.h"
#include "suppression.h"

typedef struct proposal_work {
    opforge_call* call;
    const void *scores, *deltas, *info;
    void *regions, *region_scores;
    const double *scales, *ratios;
    int64_t n_scales, n_anchors, height, width, plane, n; /* n: boxes per image; n_anchors: per pixel */
    int64_t images, n_before, n_after, min_size, stride; /* before and after suppression */
    double threshold;
    int iou_loss;
} proposal_work;

#define KERNELS "kernels/proposal.h"
#include "kernels/for_types.h"

static void read_work(opforge_call* call, proposal_work* w) {
    const opforge_attribute *scales = opforge_find(call, "scales"), *ratios = opforge_find(call, "ratios");
    const opforge_tensor* scores = &call->inputs[0];
    *w = (proposal_work){call, scores->data, call->inputs[1].data, call->inputs[2].data, call->outputs[0].data,
                         call->outputs[1].data, scales->numbers, ratios->numbers, scales->size};
    w->n_anchors = scales->size * ratios->size;
    w->images = scores->shape[0];
    w->height = scores->shape[2];
    w->width = scores->shape[3];
    w->plane = w->height * w->width;
    w->n = w->plane * w->n_anchors;
    int64_t before = opforge_find(call, "rpn_pre_nms_top_n")->integer;
    w->n_before = before > 0 && before < w->n ? before : w->n;
    w->n_after = opforge_find(call, "rpn_post_nms_top_n")->integer;
    w->min_size = opforge_find(call, "rpn_min_size")->integer;
    w->stride = opforge_find(call, "feature_stride")->integer;
    w->threshold = opforge_find(call, "threshold")->number;
    w->iou_loss = opforge_find(call, "iou_loss")->integer != 0;
}

static int32_t forward(opforge_call* call) {
    if (call->outputs[0].byte_size == 0) return OPFORGE_OK;
    if (opforge_is_half(call->outputs[0].dtype)) return opforge_in_float32(call, forward);
    int is_single = call->outputs[0].dtype == OPFORGE_FLOAT32;
    proposal_work w;
    read_work(call, &w);
    if (w.n < 1 || w.n > INT32_MAX)
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "input 'cls_prob' has a map of %lld by %lld with %lld anchors; "
                            "expected 1 to %d boxes", (long long)w.height, (long long)w.width, (long long)w.n_anchors,
                            INT32_MAX);
    arena needed = {NULL, 0};
    if (is_single) allocate_f32(&w, &needed);
    else allocate_f64(&w, &needed);
    return run_images(call, w.images, needed.offset, is_single ? propose_f32 : propose_f64, &w);
}

#define OPERATOR(title) {.head = OPFORGE_HEAD(opforge_operator), .name = title, .forward = forward}

const opforge_operator detection_proposal = OPERATOR("_contrib_Proposal");
const opforge_operator detection_multi_proposal = OPERATOR("_contrib_MultiProposal");
