/* The operator _contrib_box_nms. */
#include <opforge/float16.h>

#include "images.h"
#include "operators.h"
#include "suppression.h"

enum { PART = 16384 }; /* minimum number of elements in a part of the loop of backward */

typedef struct nms_work {
    const void* data; /* backward: gradients of the outputs */
    void* out;        /* backward: gradients of the boxes */
    int32_t* record;  /* index of each kept box in its image, then -1 */
    int64_t images, n, width;
    int64_t topk, coord_start, score_index, id_index, background_id;
    double overlap_thresh, valid_thresh;
    int by_class, converts, to_center;
    suppression_rule rule;
} nms_work;

#define KERNELS "kernels/box_nms.h"
#include "kernels/for_types.h"

static void read_shape(const opforge_tensor* boxes, nms_work* w) {
    w->n = boxes->shape[boxes->ndim - 2];
    w->width = boxes->shape[boxes->ndim - 1];
    w->images = opforge_count(boxes) / (w->n * w->width);
}

static void read_work(const opforge_call* call, nms_work* w) {
    int64_t topk = opforge_find(call, "topk")->integer;
    w->topk = topk < 0 || topk > w->n ? w->n : topk;
    w->coord_start = opforge_find(call, "coord_start")->integer;
    w->score_index = opforge_find(call, "score_index")->integer;
    w->id_index = opforge_find(call, "id_index")->integer;
    w->background_id = opforge_find(call, "background_id")->integer;
    w->overlap_thresh = opforge_find(call, "overlap_thresh")->number;
    w->valid_thresh = opforge_find(call, "valid_thresh")->number;
    w->by_class = w->id_index >= 0 && !opforge_find(call, "force_suppress")->integer;
    w->rule = strcmp(opforge_find(call, "in_format")->text, "center") == 0 ? CENTERS : CORNERS;
    w->to_center = strcmp(opforge_find(call, "out_format")->text, "center") == 0;
    w->converts = w->to_center != (w->rule == CENTERS);
}

/* As in MXNet, topk=0 returns the input unchanged. */
static int32_t keep_all(opforge_call* call, nms_work* w) {
    memcpy(w->out, w->data, (size_t)call->outputs[0].byte_size);
    for (int64_t i = 0; i < w->images * w->n; i++) w->record[i] = (int32_t)(i % w->n);
    return OPFORGE_OK;
}

static int32_t forward(opforge_call* call) {
    const opforge_tensor* data = &call->inputs[0];
    if (data->byte_size == 0) return OPFORGE_OK;
    if (opforge_is_half(data->dtype)) return opforge_in_float32(call, forward);
    int is_single = data->dtype == OPFORGE_FLOAT32;
    nms_work w = {.data = data->data, .out = call->outputs[0].data, .record = (int32_t*)call->outputs[1].data};
    read_shape(data, &w);
    read_work(call, &w);
    if (w.n > INT32_MAX)
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "data has %lld boxes; expected at most %d", (long long)w.n, INT32_MAX);
    if (w.topk == 0) return keep_all(call, &w);
    arena needed = {NULL, 0};
    if (is_single) allocate_f32(&w, &needed);
    else allocate_f64(&w, &needed);
    return run_images(call, w.images, needed.offset, is_single ? suppress_image_f32 : suppress_image_f64, &w);
}

static int32_t backward(opforge_call* call) {
    if (call->in_grads[0].byte_size == 0) return OPFORGE_OK;
    if (opforge_is_half(call->in_grads[0].dtype)) return opforge_in_float32(call, backward);
    int is_single = call->in_grads[0].dtype == OPFORGE_FLOAT32;
    nms_work w = {.data = call->out_grads[0].data, .out = call->in_grads[0].data,
                  .record = (int32_t*)call->outputs[1].data};
    read_shape(&call->in_grads[0], &w);
    return call->host->parallel(call, w.images, 1 + PART / (w.n * w.width), 0,
                                is_single ? return_part_f32 : return_part_f64, &w);
}

const opforge_operator detection_box_nms = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "_contrib_box_nms",
    .forward = forward,
    .backward = backward,
};
