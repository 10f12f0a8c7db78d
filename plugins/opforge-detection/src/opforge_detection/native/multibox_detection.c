/* The operator _contrib_MultiBoxDetection. */
#include <math.h>
#include <opforge/float16.h>
#include <opforge/simd.h>

#include "images.h"
#include "operators.h"
#include "suppression.h"

enum { LANES = 64 }; /* anchors whose best class is found at the same time */

typedef struct detect_work {
    const void *probabilities, *deltas, *anchors;
    void* out;
    int64_t images, n, n_classes, topk; /* n: anchors */
    double threshold, nms_threshold;
    const double* variances;
    int clip, force_suppress;
} detect_work;

#define KERNELS "kernels/multibox_detection.h"
#include "kernels/for_types.h"

static void read_work(const opforge_call* call, detect_work* w) {
    const opforge_tensor* probabilities = &call->inputs[0];
    *w = (detect_work){probabilities->data, call->inputs[1].data, call->inputs[2].data, call->outputs[0].data};
    w->images = probabilities->shape[0];
    w->n_classes = probabilities->shape[1];
    w->n = probabilities->shape[2];
    w->topk = opforge_find(call, "nms_topk")->integer;
    w->threshold = opforge_find(call, "threshold")->number;
    w->nms_threshold = opforge_find(call, "nms_threshold")->number;
    w->clip = opforge_find(call, "clip")->integer != 0;
    w->force_suppress = opforge_find(call, "force_suppress")->integer != 0;
    w->variances = opforge_find(call, "variances")->numbers;
}

static int32_t forward(opforge_call* call) {
    if (call->outputs[0].byte_size == 0) return OPFORGE_OK;
    if (opforge_is_half(call->outputs[0].dtype)) return opforge_in_float32(call, forward);
    int is_single = call->outputs[0].dtype == OPFORGE_FLOAT32;
    detect_work w;
    read_work(call, &w);
    if (w.n > INT32_MAX || w.n_classes > INT32_MAX)
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "input 'cls_prob' has more than 2147483647 anchors or classes");
    arena needed = {NULL, 0};
    if (is_single) allocate_f32(&w, &needed);
    else allocate_f64(&w, &needed);
    return run_images(call, w.images, needed.offset, is_single ? detect_image_f32 : detect_image_f64, &w);
}

const opforge_operator detection_multibox_detection = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "_contrib_MultiBoxDetection",
    .forward = forward,
};
