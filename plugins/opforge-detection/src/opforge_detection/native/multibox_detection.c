/* The operator _contrib_MultiBoxDetection. */
#include <math.h>
#include <opforge/float16.h>

#include "attributes.h"
#include "kernels/exponential.h"
#include "operators.h"
#include "room.h"
#include "suppression.h"

enum { LANES = 64 }; /* anchors whose best class is looked for side by side */

typedef struct detect_work {
    const void *probabilities, *moves, *anchors;
    void* out;
    int64_t pictures, n, n_classes, topk; /* n: anchors */
    double threshold, nms_threshold;
    const double* variances;
    int clip, force_suppress;
} detect_work;

static inline float e_to_f32(float x) { return fast_exp(x); }
static inline double e_to_f64(double x) { return exp(x); }

#define KERNELS "kernels/boxes.h"
#include "kernels/for_types.h"
#define KERNELS "kernels/edges.h"
#include "kernels/for_types.h"
#define KERNELS "kernels/ranking.h"
#include "kernels/for_types.h"
#define KERNELS "kernels/suppression.h"
#include "kernels/for_types.h"
#define KERNELS "kernels/by_class.h"
#include "kernels/for_types.h"
#define KERNELS "kernels/multibox_detection.h"
#include "kernels/for_types.h"

static void read_work(const opforge_call* call, detect_work* w) {
    const opforge_tensor* probabilities = &call->inputs[0];
    *w = (detect_work){probabilities->data, call->inputs[1].data, call->inputs[2].data, call->outputs[0].data};
    w->pictures = probabilities->shape[0];
    w->n_classes = probabilities->shape[1];
    w->n = probabilities->shape[2];
    w->topk = whole_number(call, "nms_topk");
    w->threshold = real_number(call, "threshold");
    w->nms_threshold = real_number(call, "nms_threshold");
    w->clip = whole_number(call, "clip") != 0;
    w->force_suppress = whole_number(call, "force_suppress") != 0;
    w->variances = opforge_find(call, "variances")->numbers;
}

static int32_t forward(opforge_call* call) {
    if (call->outputs[0].byte_size == 0) return OPFORGE_OK;
    if (call->outputs[0].dtype == OPFORGE_FLOAT16) return opforge_in_float32(call, forward);
    int is_single = call->outputs[0].dtype == OPFORGE_FLOAT32;
    detect_work w;
    read_work(call, &w);
    if (w.n > INT32_MAX || w.n_classes > INT32_MAX)
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "there are more anchors or classes than 2147483647");
    room needed = {NULL, 0};
    if (is_single) lay_out_f32(&w, &needed);
    else lay_out_f64(&w, &needed);
    if (w.pictures >= call->host->threads(call))
        return call->host->parallel(call, w.pictures, 1, needed.at, is_single ? detect_part_f32 : detect_part_f64, &w);
    room own = {(char*)call->host->scratch(call, needed.at), 0};
    int32_t status = own.memory == NULL ? OPFORGE_NO_MEMORY : OPFORGE_OK;
    for (int64_t i = 0; i < w.pictures && !status; i++)
        status = is_single ? detect_picture_f32(&w, i, own, call) : detect_picture_f64(&w, i, own, call);
    return status;
}

const opforge_operator detection_multibox_detection = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "_contrib_MultiBoxDetection",
    .forward = forward,
};
