#include "regions.h"

#include <math.h>
#include <opforge/float16.h>


#define KERNELS "kernels/regions.h"
#include "kernels/for_types.h"

regions detection_describe_regions(opforge_call* call) {
    const opforge_tensor *data = &call->inputs[0], *rois = &call->inputs[1], *out = &call->outputs[0];
    const region_kind* kind = (const region_kind*)call->state;
    regions r = {.call = call, .kind = kind->kind, .dtype = opforge_computed_in(data->dtype),
                 .scale = (float)opforge_find(call, "spatial_scale")->number,
                 .images = data->shape[0], .channels = data->shape[1], .height = data->shape[2],
                 .width = data->shape[3], .boxes = rois->shape[0], .columns = rois->shape[1],
                 .bins_y = out->shape[2], .bins_x = out->shape[3], .parts_y = 1, .parts_x = 1, .classes = 1,
                 .depth = out->shape[1], .rois = rois->data};
    if (kind->describe != NULL) kind->describe(call, &r);
    r.parts = r.parts_y * r.parts_x;
    if (r.classes > 0) r.depth /= r.classes;
    return r;
}

/* Check the channels again: a length unknown to shape inference may be 0. */
static int32_t check_channels(const regions* r) {
    if (r->classes > 0 && r->channels >= groups_of(r) * r->depth) return OPFORGE_OK;
    return opforge_fail(r->call, OPFORGE_BAD_SHAPE, "data has %lld channels; expected %lld classes of %lld parts of %lld channels",
                        (long long)r->channels, (long long)r->classes, (long long)r->parts, (long long)r->depth);
}

int32_t detection_plan_regions(opforge_call* call) {
    regions r = detection_describe_regions(call);
    call->workspace_bytes = lanes_bytes(&r);
    return OPFORGE_OK;
}

int32_t detection_regions_forward(opforge_call* call) {
    if (opforge_is_half(call->inputs[0].dtype)) return opforge_in_float32(call, detection_regions_forward);
    regions r = detection_describe_regions(call);
    r.planes = call->inputs[0].data;
    r.lanes = use_lanes(&r) ? call->workspace : NULL;
    r.out = call->outputs[0].data;
    if (call->outputs[0].byte_size == 0) return OPFORGE_OK;
    int32_t status = check_channels(&r);
    if (status) return status;
    return r.dtype == OPFORGE_FLOAT32 ? sum_boxes_f32(&r) : sum_boxes_f64(&r);
}

/* Boxes have no gradient. Offsets have one, which depends on the images. */
int32_t detection_regions_backward(opforge_call* call) {
    if (opforge_is_half(call->inputs[0].dtype)) return opforge_in_float32(call, detection_regions_backward);
    regions r = detection_describe_regions(call);
    int is_single = r.dtype == OPFORGE_FLOAT32;
    for (int32_t i = 0; i < call->n_inputs; i++) {
        const opforge_tensor* grad = &call->in_grads[i];
        if (grad->data == NULL || grad->byte_size == 0) continue;
        /* Gradients are zero if there are no results. */
        if (i == 1 || call->out_grads[0].byte_size == 0) memset(grad->data, 0, (size_t)grad->byte_size);
    }
    if (call->out_grads[0].byte_size == 0) return OPFORGE_OK;
    int32_t status = check_channels(&r);
    if (status) return status;
    r.lanes = use_lanes(&r) ? call->workspace : NULL;
    r.out = call->out_grads[0].data;
    if (r.offsets > 0 && call->in_grads[2].data != NULL) {
        r.planes = call->inputs[0].data;
        r.trans_grad = call->in_grads[2].data;
        status = is_single ? slope_boxes_f32(&r) : slope_boxes_f64(&r);
    }
    r.planes = call->in_grads[0].data;
    if (status || r.planes == NULL || call->in_grads[0].byte_size == 0) return status;
    return is_single ? scatter_boxes_f32(&r) : scatter_boxes_f64(&r);
}
