/* The operators _contrib_Proposal and _contrib_MultiProposal. */
#include <math.h>
#include <opforge/float16.h>

#include "attributes.h"
#include "operators.h"
#include "room.h"
#include "suppression.h"

typedef struct proposal_work {
    opforge_call* call;
    const void *scores, *moves, *info;
    void *regions, *region_scores;
    const double *scales, *ratios;
    int64_t n_scales, n_anchors, height, width, plane, n; /* n: boxes of a picture, n_anchors for each pixel */
    int64_t pictures, n_before, n_after, min_size, stride; /* before and after suppression */
    double threshold;
    int iou_loss;
} proposal_work;

static inline float e_to_f32(float x) { return expf(x); }
static inline double e_to_f64(double x) { return exp(x); }
static inline float root_f32(float x) { return sqrtf(x); }
static inline double root_f64(double x) { return sqrt(x); }
static inline float whole_f32(float x) { return floorf(x); }
static inline double whole_f64(double x) { return floor(x); }

#define KERNELS "kernels/boxes.h"
#include "kernels/for_types.h"
#define KERNELS "kernels/edges.h"
#include "kernels/for_types.h"
#define KERNELS "kernels/ranking.h"
#include "kernels/for_types.h"
#define KERNELS "kernels/suppression.h"
#include "kernels/for_types.h"
#define KERNELS "kernels/proposal.h"
#include "kernels/for_types.h"

static void read_work(opforge_call* call, proposal_work* w) {
    const opforge_attribute *scales = opforge_find(call, "scales"), *ratios = opforge_find(call, "ratios");
    const opforge_tensor* scores = &call->inputs[0];
    *w = (proposal_work){call, scores->data, call->inputs[1].data, call->inputs[2].data, call->outputs[0].data,
                         call->outputs[1].data, scales->numbers, ratios->numbers, scales->size};
    w->n_anchors = scales->size * ratios->size;
    w->pictures = scores->shape[0];
    w->height = scores->shape[2];
    w->width = scores->shape[3];
    w->plane = w->height * w->width;
    w->n = w->plane * w->n_anchors;
    int64_t before = whole_number(call, "rpn_pre_nms_top_n");
    w->n_before = before > 0 && before < w->n ? before : w->n;
    w->n_after = whole_number(call, "rpn_post_nms_top_n");
    w->min_size = whole_number(call, "rpn_min_size");
    w->stride = whole_number(call, "feature_stride");
    w->threshold = real_number(call, "threshold");
    w->iou_loss = whole_number(call, "iou_loss") != 0;
}

static int32_t forward(opforge_call* call) {
    if (call->outputs[0].byte_size == 0) return OPFORGE_OK;
    if (call->outputs[0].dtype == OPFORGE_FLOAT16) return opforge_in_float32(call, forward);
    int is_single = call->outputs[0].dtype == OPFORGE_FLOAT32;
    proposal_work w;
    read_work(call, &w);
    if (w.n < 1 || w.n > INT32_MAX)
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "input 'cls_prob' has a map of %lld by %lld with %lld anchors, "
                            "expected 1 to %d boxes", (long long)w.height, (long long)w.width, (long long)w.n_anchors,
                            INT32_MAX);
    room needed = {NULL, 0};
    if (is_single) lay_out_f32(&w, &needed);
    else lay_out_f64(&w, &needed);
    if (w.pictures >= call->host->threads(call))
        return call->host->parallel(call, w.pictures, 1, needed.at, is_single ? propose_part_f32 : propose_part_f64,
                                    &w);
    room own = {(char*)call->host->scratch(call, needed.at), 0};
    int32_t status = own.memory == NULL ? OPFORGE_NO_MEMORY : OPFORGE_OK;
    for (int64_t i = 0; i < w.pictures && !status; i++)
        status = is_single ? propose_f32(&w, i, own, call) : propose_f64(&w, i, own, call);
    return status;
}

#define OPERATOR(title) {.head = OPFORGE_HEAD(opforge_operator), .name = title, .forward = forward}

const opforge_operator detection_proposal = OPERATOR("_contrib_Proposal");
const opforge_operator detection_multi_proposal = OPERATOR("_contrib_MultiProposal");
