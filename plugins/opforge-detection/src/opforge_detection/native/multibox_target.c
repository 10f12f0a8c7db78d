/* The operator _contrib_MultiBoxTarget. */
#include <math.h>
#include <opforge/float16.h>

#include "attributes.h"
#include "kernels/exponential.h"
#include "operators.h"
#include "room.h"

/* AT_ONCE: anchors whose scores stay in the first cache. LANES: maxima that are kept side by side. */
enum { AT_ONCE = 512, LANES = 16 };

/* What an anchor is for. */
enum { UNUSED = -1, NEGATIVE = 0, POSITIVE = 1 };

/* No object gets an anchor that overlaps it less. */
static const double LEAST_OVERLAP = 1e-6;

typedef struct target_work {
    opforge_call* call;
    const void *anchors, *labels, *scores;
    void *box_target, *box_mask, *class_target;
    void* edges[4]; /* of the anchors, in arrays of their own */
    int64_t pictures, n, most_objects, label_width, n_classes; /* n: anchors */
    double overlap_threshold, ignore_label, mining_ratio, mining_thresh;
    const double* variances;
} target_work;

static inline float e_to_f32(float x) { return fast_exp(x); }
static inline double e_to_f64(double x) { return exp(x); }
static inline float log_of_f32(float x) { return logf(x); }
static inline double log_of_f64(double x) { return log(x); }

#define KERNELS "kernels/boxes.h"
#include "kernels/for_types.h"
#define KERNELS "kernels/ranking.h"
#include "kernels/for_types.h"
#define KERNELS "kernels/multibox_target.h"
#include "kernels/for_types.h"

static int32_t read_work(opforge_call* call, target_work* w) {
    const opforge_tensor *anchors = &call->inputs[0], *labels = &call->inputs[1], *scores = &call->inputs[2];
    *w = (target_work){call, anchors->data, labels->data, scores->data, call->outputs[0].data,
                       call->outputs[1].data, call->outputs[2].data};
    w->n = anchors->shape[1];
    w->pictures = labels->shape[0];
    w->most_objects = labels->shape[1];
    w->label_width = labels->shape[2];
    w->n_classes = scores->shape[1];
    w->overlap_threshold = real_number(call, "overlap_threshold");
    w->ignore_label = real_number(call, "ignore_label");
    w->mining_ratio = real_number(call, "negative_mining_ratio");
    w->mining_thresh = real_number(call, "negative_mining_thresh");
    w->variances = opforge_find(call, "variances")->numbers;
    if (w->label_width < 5) /* a graph may know no more than that there is an axis */
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "input 'label' has rows of %lld elements, expected 5 or more: class "
                            "and corners", (long long)w->label_width);
    if (w->n_classes < 1)
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "input 'cls_pred' has no classes, expected one for the background "
                            "and others");
    for (int edge = 0; edge < 4; edge++) {
        w->edges[edge] = call->host->scratch(call, anchors->byte_size / 4);
        if (w->edges[edge] == NULL) return OPFORGE_NO_MEMORY;
    }
    return OPFORGE_OK;
}

static int32_t forward(opforge_call* call) {
    if (call->outputs[0].byte_size == 0) return OPFORGE_OK;
    if (call->outputs[0].dtype == OPFORGE_FLOAT16) return opforge_in_float32(call, forward);
    int is_single = call->outputs[0].dtype == OPFORGE_FLOAT32;
    target_work w;
    int32_t status = read_work(call, &w);
    if (status) return status;
    if (w.n > INT32_MAX || w.most_objects > INT32_MAX)
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "there are more anchors or labels than 2147483647");
    room needed = {NULL, 0};
    if (is_single) {
        spread_anchors_f32(&w);
        lay_out_f32(&w, &needed);
    } else {
        spread_anchors_f64(&w);
        lay_out_f64(&w, &needed);
    }
    return call->host->parallel(call, w.pictures, 1, needed.at, is_single ? target_part_f32 : target_part_f64, &w);
}

const opforge_operator detection_multibox_target = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "_contrib_MultiBoxTarget",
    .forward = forward,
};
