/* Forward pass: packed weights times the columns of the data. */
#include "dense.h"
#include "kernels.h"

weight_view forward_weights(const conv_shape* s, const float* weight) {
    int64_t taps = conv_volume(s->kernel);
    return (weight_view){
        .data = weight,
        .groups = s->groups, .rows = s->out_channels, .channels = s->in_channels,
        .taps_y = s->kernel[1], .taps_x = s->kernel[2],
        .group_step = s->out_channels * s->in_channels * taps, .row_step = s->in_channels * taps,
        .channel_step = taps, .tap_y_step = s->kernel[2], .tap_x_step = 1,
    };
}

static product describe(const conv_shape* s, const conv_arrays* arrays) {
    int64_t plane = conv_volume(s->out);
    return (product){
        .image_view = data_view(s, (const float*)arrays->data),
        .target = {(float*)arrays->out, s->groups * s->out_channels * plane, plane, s->out[2], 1},
        .images = s->n, .groups = s->groups, .channels = s->in_channels, .filters = s->out_channels,
        .bias = (const float*)arrays->bias,
    };
}

static int32_t run_forward(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays) {
    const conv_shape* s = &plan->shape;
    weight_view weights = forward_weights(s, (const float*)arrays->weight);
    product p = describe(s, arrays);
    p.finish = finish_of(call, arrays->epilogue, (const float*)arrays->out, conv_volume(s->out), 1);
    return ((const dense_algorithm*)plan->context)->run(call, &p, &weights, (float*)arrays->workspace);
}

void forward_plan(conv_plan* plan) {
    const conv_arrays none = {0};
    product p = describe(&plan->shape, &none);
    const dense_algorithm* algorithm = dense_choose(&p);
    plan->workspace_bytes = algorithm->workspace(&p) * (int64_t)sizeof(float);
    plan->context = (void*)algorithm; /* a constant; nothing to free */
    plan->finishes = 1;
    plan->run = run_forward;
}
