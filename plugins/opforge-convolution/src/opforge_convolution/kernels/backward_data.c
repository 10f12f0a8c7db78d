/* Gradient of data: a convolution of the results' gradient with the reversed filter. With strides, data positions
 * a stride apart use the same taps: each such phase is a separate product with stride 1. */
#include "dense.h"
#include "kernels.h"
#include "phases.h"

static product describe(const conv_shape* s, const conv_arrays* arrays, const phase* y, const phase* x) {
    int64_t plane = conv_volume(s->in), width = s->in[2];
    image_view view = phase_view(s, y, x);
    view.data = (const float*)arrays->out;
    return (product){
        .image_view = view,
        .target = {(float*)arrays->data, s->groups * s->in_channels * plane, plane,
                   s->stride[1] * width, s->stride[2]},
        .images = s->n, .groups = s->groups, .channels = s->out_channels, .filters = s->in_channels,
        .bias = (const float*)arrays->bias,
    };
}

static int32_t run_phase(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays, const phase* y,
                         const phase* x) {
    const conv_shape* s = &plan->shape;
    if (!phases_exist(y, x)) return OPFORGE_OK;
    weight_view weights = phase_weights(s, y, x);
    weights.data = (const float*)arrays->weight + phase_first_weight(s, y, x);
    product p = describe(s, arrays, y, x);
    p.target.data += y->first * s->in[2] + x->first;
    return ((const dense_algorithm*)plan->context)->run(call, &p, &weights, (float*)arrays->workspace);
}

static int32_t run_backward(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays) {
    const conv_shape* s = &plan->shape;
    phases_fill(s, arrays->bias, arrays->data);
    for (int64_t first_y = 0; first_y < s->stride[1]; first_y++) {
        phase y = phase_of(s, 1, first_y);
        for (int64_t first_x = 0; first_x < s->stride[2]; first_x++) {
            phase x = phase_of(s, 2, first_x);
            int32_t status = run_phase(call, plan, arrays, &y, &x);
            if (status) return status;
        }
    }
    return OPFORGE_OK;
}

void backward_data_plan(conv_plan* plan) {
    const conv_shape* s = &plan->shape;
    const conv_arrays none = {0};
    phase y = phase_of(s, 1, 0), x = phase_of(s, 2, 0);
    product p = describe(s, &none, &y, &x);
    const dense_algorithm* algorithm = s->stride[1] == 1 && s->stride[2] == 1 ? dense_choose(&p) : &dense_panels;
    p.image_view.taps_y = s->kernel[1]; /* no phase has more */
    p.image_view.taps_x = s->kernel[2];
    plan->workspace_bytes = algorithm->workspace(&p) * (int64_t)sizeof(float);
    plan->context = (void*)algorithm; /* a constant; nothing to free */
    plan->run = run_backward;
}
