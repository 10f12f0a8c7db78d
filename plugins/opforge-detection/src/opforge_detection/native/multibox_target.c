/* The operator _contrib_MultiBoxTarget. */
#include <opforge/float16.h>
#include <opforge/simd.h>
#include <tgmath.h>

#include "operators.h"
#include "arena.h"

/* AT_ONCE: anchors whose scores stay in the L1 cache. LANES: maxima computed at the same time. */
enum { AT_ONCE = 512, LANES = 16 };

/* Assignment of an anchor. */
enum { UNUSED = -1, NEGATIVE = 0, POSITIVE = 1 };

/* Minimum overlap of an object and its anchor. */
static const double LEAST_OVERLAP = 1e-6;

typedef struct target_work {
    opforge_call* call;
    const void *anchors, *labels, *scores;
    void *box_target, *box_mask, *class_target;
    void* edges[4]; /* of the anchors, as separate arrays */
    int64_t images, n, most_objects, label_width, n_classes; /* n: anchors */
    double overlap_threshold, ignore_label, mining_ratio, mining_thresh;
    const double* variances;
} target_work;

#define KERNELS "kernels/multibox_target.h"
#include "kernels/for_types.h"

static int32_t read_work(opforge_call* call, target_work* w) {
    const opforge_tensor *anchors = &call->inputs[0], *labels = &call->inputs[1], *scores = &call->inputs[2];
    *w = (target_work){call, anchors->data, labels->data, scores->data, call->outputs[0].data,
                       call->outputs[1].data, call->outputs[2].data};
    w->n = anchors->shape[1];
    w->images = labels->shape[0];
    w->most_objects = labels->shape[1];
    w->label_width = labels->shape[2];
    w->n_classes = scores->shape[1];
    w->overlap_threshold = opforge_find(call, "overlap_threshold")->number;
    w->ignore_label = opforge_find(call, "ignore_label")->number;
    w->mining_ratio = opforge_find(call, "negative_mining_ratio")->number;
    w->mining_thresh = opforge_find(call, "negative_mining_thresh")->number;
    w->variances = opforge_find(call, "variances")->numbers;
    if (w->label_width < 5) /* shape inference may leave this length unknown */
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "input 'label' has rows of %lld elements; expected 5 or more: "
                            "class and corners", (long long)w->label_width);
    if (w->n_classes < 1)
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "input 'cls_pred' has no classes; expected at least the "
                            "background");
    for (int edge = 0; edge < 4; edge++) {
        w->edges[edge] = call->host->scratch(call, anchors->byte_size / 4);
        if (w->edges[edge] == NULL) return OPFORGE_NO_MEMORY;
    }
    return OPFORGE_OK;
}

static int32_t forward(opforge_call* call) {
    if (call->outputs[0].byte_size == 0) return OPFORGE_OK;
    if (opforge_is_half(call->outputs[0].dtype)) return opforge_in_float32(call, forward);
    int is_single = call->outputs[0].dtype == OPFORGE_FLOAT32;
    target_work w;
    int32_t status = read_work(call, &w);
    if (status) return status;
    if (w.n > INT32_MAX || w.most_objects > INT32_MAX)
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "more than 2147483647 anchors or labels");
    arena needed = {NULL, 0};
    if (is_single) {
        split_anchor_edges_f32(&w);
        allocate_f32(&w, &needed);
    } else {
        split_anchor_edges_f64(&w);
        allocate_f64(&w, &needed);
    }
    return call->host->parallel(call, w.images, 1, needed.offset, is_single ? target_part_f32 : target_part_f64, &w);
}

const opforge_operator detection_multibox_target = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "_contrib_MultiBoxTarget",
    .forward = forward,
};
