/* The operator ROIPooling. */
#include <float.h>
#include <math.h>
#include <opforge/float16.h>

#include "operators.h"
#include "regions.h"

#define T int32_t
#define NAME(name) name##_i32
#include "kernels/transpose.h"
#undef T
#undef NAME
#define KERNELS "kernels/largest.h"
#include "kernels/for_types.h"

static int32_t create(opforge_call* call) {
    static const region_kind kind = {LARGEST, NULL};
    call->state = (void*)&kind;
    return OPFORGE_OK;
}

static int32_t plan(opforge_call* call) {
    if (call->stage == OPFORGE_FORWARD) return detection_plan_regions(call);
    return OPFORGE_OK;
}

static int32_t forward(opforge_call* call) {
    if (opforge_is_half(call->inputs[0].dtype)) return opforge_in_float32(call, forward);
    regions r = detection_describe_regions(call);
    if (call->outputs[0].byte_size == 0) return OPFORGE_OK;
    if (pixels_of(&r) > INT32_MAX) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "data has %lld pixels in an image; expected %d or fewer",
                            (long long)pixels_of(&r), INT32_MAX);
    }
    r.planes = call->inputs[0].data;
    r.lanes = use_lanes(&r) ? call->workspace : NULL;
    r.out = call->outputs[0].data;
    r.positions = call->outputs[1].data;
    return r.dtype == OPFORGE_FLOAT32 ? find_boxes_f32(&r) : find_boxes_f64(&r);
}

static int32_t backward(opforge_call* call) {
    if (opforge_is_half(call->inputs[0].dtype)) return opforge_in_float32(call, backward);
    regions r = detection_describe_regions(call);
    const opforge_tensor *data = &call->in_grads[0], *rois = &call->in_grads[1];
    if (rois->data != NULL && rois->byte_size > 0) memset(rois->data, 0, (size_t)rois->byte_size);
    if (data->data == NULL || data->byte_size == 0) return OPFORGE_OK;
    r.planes = data->data;
    r.out = call->out_grads[0].data;
    r.positions = call->outputs[1].data;
    return r.dtype == OPFORGE_FLOAT32 ? return_boxes_f32(&r) : return_boxes_f64(&r);
}

const opforge_operator detection_roi_pooling = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "ROIPooling",
    .create = create,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .flags = OPFORGE_WANTED,
};
