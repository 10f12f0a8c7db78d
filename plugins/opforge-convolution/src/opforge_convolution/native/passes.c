#include "passes.h"

#include <stdlib.h>

conv_passes* conv_new_passes(opforge_call* call) {
    call->workspace_bytes = 0;
    return (conv_passes*)(call->plan = calloc(1, sizeof(conv_passes)));
}

int32_t conv_add_pass(opforge_call* call, const conv_shape* shape, conv_pass pass) {
    conv_passes* passes = (conv_passes*)call->plan;
    conv_plan* plan = &passes->of[passes->count];
    plan->shape = *shape;
    plan->pass = pass;
    int32_t status = conv_fast_plan(call, plan);
    if (!status && plan->run == NULL) status = conv_general_plan(call, plan);
    if (status) return status;
    passes->count++;
    if (call->workspace_bytes < plan->workspace_bytes) call->workspace_bytes = plan->workspace_bytes;
    return OPFORGE_OK;
}

int32_t conv_unplan(opforge_call* call) {
    conv_passes* passes = (conv_passes*)call->plan;
    for (int32_t i = 0; i < passes->count; i++) {
        if (passes->of[i].end != NULL) passes->of[i].end(passes->of[i].own);
    }
    free(passes);
    return OPFORGE_OK;
}

int32_t conv_run_pass(opforge_call* call, conv_pass pass, conv_arrays arrays) {
    const conv_passes* passes = (const conv_passes*)call->plan;
    arrays.workspace = call->workspace;
    for (int32_t i = 0; i < passes->count; i++) {
        const conv_plan* plan = &passes->of[i];
        if (plan->pass == pass) return plan->run(call, plan, &arrays);
    }
    return OPFORGE_OK;
}

conv_shape conv_shape_of(const conv_settings* s, const opforge_tensor* data, const opforge_tensor* out) {
    conv_shape shape = {.dtype = data->dtype, .n = data->shape[0], .groups = s->groups};
    shape.in_channels = data->shape[conv_channel_axis(s)] / s->groups;
    shape.out_channels = out->shape[conv_channel_axis(s)] / s->groups;
    for (int axis = 0; axis < CONV_DIMS; axis++) {
        int space = conv_space_axis(s, axis);
        shape.in[axis] = space < 0 ? 1 : data->shape[space];
        shape.out[axis] = space < 0 ? 1 : out->shape[space];
        shape.kernel[axis] = s->kernel[axis];
        shape.stride[axis] = s->stride[axis];
        shape.dilate[axis] = s->dilate[axis];
        shape.pad[axis] = s->pad[axis];
    }
    return shape;
}
