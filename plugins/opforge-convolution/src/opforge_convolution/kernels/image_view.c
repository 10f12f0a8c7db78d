/* Views of a convolution's arrays. */
#include "kernels.h"

image_view data_view(const conv_shape* s, const float* data) {
    return (image_view){
        .data = data,
        .image = s->groups * s->in_channels * conv_volume(s->in), .plane = conv_volume(s->in),
        .height = s->in[1], .width = s->in[2],
        .taps_y = s->kernel[1], .taps_x = s->kernel[2],
        .stride_y = s->stride[1], .stride_x = s->stride[2],
        .dilate_y = s->dilate[1], .dilate_x = s->dilate[2],
        .pad_y = s->pad[1], .pad_x = s->pad[2],
        .positions_y = s->out[1], .positions_x = s->out[2],
    };
}

image_view out_view(const conv_shape* s, const float* out) {
    int64_t plane = conv_volume(s->out);
    return (image_view){
        .data = out,
        .image = s->groups * s->out_channels * plane, .plane = plane,
        .height = 1, .width = plane, /* a single row, so that vectors of columns are rarely split */
        .taps_y = 1, .taps_x = 1, .stride_y = 1, .stride_x = 1, .dilate_y = 1, .dilate_x = 1,
        .positions_y = 1, .positions_x = plane,
    };
}
