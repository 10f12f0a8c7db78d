/* Phases and their views. */
#include "phases.h"

#include <string.h>

static int64_t common_divisor(int64_t a, int64_t b) { return b == 0 ? a : common_divisor(b, a % b); }

phase phase_of(const conv_shape* s, int axis, int64_t first) {
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

/* Whether taps read all positions along an axis. */
static int is_covered(const conv_shape* s, int axis) {
    for (int64_t first = 0; first < s->stride[axis]; first++) {
        phase f = phase_of(s, axis, first);
        if (f.positions > 0 && f.taps == 0) return 0;
    }
    return 1;
}

void phases_fill(const conv_shape* s, const void* bias, void* data) {
    int64_t channels = s->groups * s->in_channels, positions = conv_volume(s->in), item = opforge_item_size(s->dtype);
    if (is_covered(s, 1) && is_covered(s, 2)) return;
    if (bias == NULL) {
        memset(data, 0, (size_t)(s->n * channels * positions * item));
        return;
    }
    for (int64_t plane = 0; plane < s->n * channels; plane++) {
        char* to = (char*)data + plane * positions * item;
        const char* value = (const char*)bias + plane % channels * item;
        for (int64_t i = 0; i < positions; i++) memcpy(to + i * item, value, (size_t)item);
    }
}

static int64_t last_tap(const phase* f) { return f->tap + (f->taps - 1) * f->tap_step; }

weight_view phase_weights(const conv_shape* s, const phase* y, const phase* x) {
    int64_t taps = conv_volume(s->kernel), width = s->kernel[2];
    return (weight_view){
        .groups = s->groups, .rows = s->in_channels, .channels = s->out_channels,
        .taps_y = y->taps, .taps_x = x->taps,
        .group_step = s->out_channels * s->in_channels * taps, .row_step = taps,
        .channel_step = s->in_channels * taps, .tap_y_step = -y->tap_step * width, .tap_x_step = -x->tap_step,
    };
}

image_view phase_view(const conv_shape* s, const phase* y, const phase* x) {
    int64_t plane = conv_volume(s->out);
    return (image_view){
        .image = s->groups * s->out_channels * plane, .plane = plane,
        .height = s->out[1], .width = s->out[2],
        .taps_y = y->taps, .taps_x = x->taps,
        .stride_y = 1, .stride_x = 1,
        .dilate_y = y->out_step, .dilate_x = x->out_step,
        .pad_y = (y->taps - 1) * y->out_step - y->out, .pad_x = (x->taps - 1) * x->out_step - x->out,
        .positions_y = y->positions, .positions_x = x->positions,
    };
}

int64_t phase_first_weight(const conv_shape* s, const phase* y, const phase* x) {
    return last_tap(y) * s->kernel[2] + last_tap(x);
}
