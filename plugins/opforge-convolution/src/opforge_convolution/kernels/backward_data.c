/* Gradient of data: a convolution of the results' gradient with the reversed filter. With strides, data positions
 * a stride apart use the same taps: each such phase is a separate product with stride 1. */
#include <string.h>

#include "dense.h"
#include "kernels.h"

/* A phase in one dimension: data positions `first`, `first` + stride, ... use the taps `tap`, `tap` + `tap_step`,
 * ... at the results `out`, `out` - `out_step`, ..., each one result further on. */
typedef struct phase {
    int64_t first, positions;
    int64_t tap, tap_step, taps;
    int64_t out, out_step;
} phase;

static int64_t common_divisor(int64_t a, int64_t b) { return b == 0 ? a : common_divisor(b, a % b); }

static phase phase_of(const conv_shape* s, int axis, int64_t first) {
    int64_t stride = s->stride[axis], dilate = s->dilate[axis], common = common_divisor(stride, dilate);
    phase f = {.first = first, .positions = (s->in[axis] - first + stride - 1) / stride,
               .tap_step = stride / common, .out_step = dilate / common};
    int64_t at = first + s->pad[axis];
    while (f.tap < f.tap_step && (at - f.tap * dilate) % stride != 0) f.tap++;
    int found = f.tap < f.tap_step && f.tap < s->kernel[axis];
    f.taps = found ? (s->kernel[axis] - f.tap - 1) / f.tap_step + 1 : 0;
    f.out = found ? (at - f.tap * dilate) / stride : 0;
    return f;
}

static int64_t last_tap(const phase* f) { return f->tap + (f->taps - 1) * f->tap_step; }

/* A view with sizes and strides only. */
static weight_view view(const conv_shape* s, const phase* y, const phase* x) {
    int64_t taps = conv_volume(s->kernel), width = s->kernel[2];
    return (weight_view){
        .groups = s->groups, .rows = s->in_channels, .channels = s->out_channels,
        .taps_y = y->taps, .taps_x = x->taps,
        .group_step = s->out_channels * s->in_channels * taps, .row_step = taps,
        .channel_step = s->in_channels * taps, .tap_y_step = -y->tap_step * width, .tap_x_step = -x->tap_step,
    };
}

/* The view of the results from a phase's data: the last tap first, so that both advance in the same direction. */
static image_view phase_view(const conv_shape* s, const float* out, const phase* y, const phase* x) {
    int64_t plane = conv_volume(s->out);
    return (image_view){
        .data = out,
        .image = s->groups * s->out_channels * plane, .plane = plane,
        .height = s->out[1], .width = s->out[2],
        .taps_y = y->taps, .taps_x = x->taps,
        .stride_y = 1, .stride_x = 1,
        .dilate_y = y->out_step, .dilate_x = x->out_step,
        .pad_y = (y->taps - 1) * y->out_step - y->out, .pad_x = (x->taps - 1) * x->out_step - x->out,
        .positions_y = y->positions, .positions_x = x->positions,
    };
}

static product describe(const conv_shape* s, const conv_arrays* arrays, const phase* y, const phase* x) {
    int64_t plane = conv_volume(s->in), width = s->in[2];
    return (product){
        .image_view = phase_view(s, (const float*)arrays->out, y, x),
        .target = {(float*)arrays->data, s->groups * s->in_channels * plane, plane,
                   s->stride[1] * width, s->stride[2]},
        .images = s->n, .groups = s->groups, .channels = s->out_channels, .filters = s->in_channels,
        .bias = (const float*)arrays->bias,
    };
}

static int32_t run_phase(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays, const phase* y,
                         const phase* x) {
    const conv_shape* s = &plan->shape;
    if (y->taps == 0 || x->taps == 0 || y->positions <= 0 || x->positions <= 0) return OPFORGE_OK;
    weight_view weights = view(s, y, x);
    weights.data = (const float*)arrays->weight + last_tap(y) * s->kernel[2] + last_tap(x);
    product p = describe(s, arrays, y, x);
    p.target.data += y->first * s->in[2] + x->first;
    return ((const dense_algorithm*)plan->context)->run(call, &p, &weights, (float*)arrays->workspace);
}

/* Fill data that no tap reads. */
static void fill(const conv_shape* s, const conv_arrays* arrays) {
    int64_t channels = s->groups * s->in_channels, positions = conv_volume(s->in);
    const float* bias = (const float*)arrays->bias;
    for (int64_t plane = 0; plane < s->n * channels; plane++) {
        float *to = (float*)arrays->data + plane * positions, value = bias == NULL ? 0 : bias[plane % channels];
        for (int64_t i = 0; i < positions; i++) to[i] = value;
    }
}

static int32_t run_backward(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays) {
    const conv_shape* s = &plan->shape;
    if (s->stride[1] > 1 || s->stride[2] > 1) fill(s, arrays);
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
