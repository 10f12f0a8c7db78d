/* The operator _contrib_box_nms. */
#include <opforge/float16.h>

#include "attributes.h"
#include "operators.h"
#include "room.h"
#include "suppression.h"

enum { PART = 16384 }; /* elements that a part of the loop of backward moves at least */

typedef struct nms_work {
    const void* data; /* backward: gradients of what stayed */
    void* out;        /* backward: gradients of the boxes */
    int32_t* record;  /* of each box that stays, its number in the picture; -1 at the end */
    int64_t pictures, n, width;
    int64_t topk, coord_start, score_index, id_index, background_id;
    double overlap_thresh, valid_thresh;
    int by_class, converts, to_center;
    suppression_rule rule;
} nms_work;

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
#define KERNELS "kernels/box_nms.h"
#include "kernels/for_types.h"

static void read_shape(const opforge_tensor* boxes, nms_work* w) {
    w->n = boxes->shape[boxes->ndim - 2];
    w->width = boxes->shape[boxes->ndim - 1];
    w->pictures = opforge_count(boxes) / (w->n * w->width);
}

static void read_work(const opforge_call* call, nms_work* w) {
    int64_t topk = whole_number(call, "topk");
    w->topk = topk < 0 || topk > w->n ? w->n : topk;
    w->coord_start = whole_number(call, "coord_start");
    w->score_index = whole_number(call, "score_index");
    w->id_index = whole_number(call, "id_index");
    w->background_id = whole_number(call, "background_id");
    w->overlap_thresh = real_number(call, "overlap_thresh");
    w->valid_thresh = real_number(call, "valid_thresh");
    w->by_class = w->id_index >= 0 && !whole_number(call, "force_suppress");
    w->rule = is_text(call, "in_format", "center") ? CENTERS : CORNERS;
    w->to_center = is_text(call, "out_format", "center");
    w->converts = w->to_center != (w->rule == CENTERS);
}

/* MXNet leaves everything as it is where topk is 0. */
static int32_t keep_all(opforge_call* call, nms_work* w) {
    memcpy(w->out, w->data, (size_t)call->outputs[0].byte_size);
    for (int64_t i = 0; i < w->pictures * w->n; i++) w->record[i] = (int32_t)(i % w->n);
    return OPFORGE_OK;
}

static int32_t forward(opforge_call* call) {
    const opforge_tensor* data = &call->inputs[0];
    if (data->byte_size == 0) return OPFORGE_OK;
    if (data->dtype == OPFORGE_FLOAT16) return opforge_in_float32(call, forward);
    int is_single = data->dtype == OPFORGE_FLOAT32;
    nms_work w = {.data = data->data, .out = call->outputs[0].data, .record = (int32_t*)call->outputs[1].data};
    read_shape(data, &w);
    read_work(call, &w);
    if (w.n > INT32_MAX) return opforge_fail(call, OPFORGE_BAD_SHAPE, "data has %lld boxes", (long long)w.n);
    if (w.topk == 0) return keep_all(call, &w);
    room needed = {NULL, 0};
    if (is_single) lay_out_f32(&w, &needed);
    else lay_out_f64(&w, &needed);
    if (w.pictures >= call->host->threads(call))
        return call->host->parallel(call, w.pictures, 1, needed.at, is_single ? nms_part_f32 : nms_part_f64, &w);
    room own = {(char*)call->host->scratch(call, needed.at), 0};
    int32_t status = own.memory == NULL ? OPFORGE_NO_MEMORY : OPFORGE_OK;
    for (int64_t i = 0; i < w.pictures && !status; i++)
        status = is_single ? suppress_picture_f32(&w, i, own, call) : suppress_picture_f64(&w, i, own, call);
    return status;
}

static int32_t backward(opforge_call* call) {
    if (call->in_grads[0].byte_size == 0) return OPFORGE_OK;
    if (call->in_grads[0].dtype == OPFORGE_FLOAT16) return opforge_in_float32(call, backward);
    int is_single = call->in_grads[0].dtype == OPFORGE_FLOAT32;
    nms_work w = {.data = call->out_grads[0].data, .out = call->in_grads[0].data,
                  .record = (int32_t*)call->outputs[1].data};
    read_shape(&call->in_grads[0], &w);
    return call->host->parallel(call, w.pictures, 1 + PART / (w.n * w.width), 0,
                                is_single ? return_part_f32 : return_part_f64, &w);
}

const opforge_operator detection_box_nms = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "_contrib_box_nms",
    .forward = forward,
    .backward = backward,
};
