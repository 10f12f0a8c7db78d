/* Depthwise convolution: the forward pass and the gradient of data. Each channel of each image is copied into a
 * frame, over which the filter slides. */
#include "finish.h"
#include "frame.h"
#include "kernels.h"
#include "slide.h"

typedef struct slide {
    frame frame;
    int64_t channels;
    const float* images;
    const float* weights;
    const float* bias; /* one for each channel, or NULL */
    float* out;
    int reversed;        /* taps in reverse order */
    finish finish;     /* of the results */
} slide;

OF_INLINE void slide_over(const frame* f, const float* data, const float* weights, float bias, float* out,
                          int64_t taps_y, int64_t taps_x, int64_t stride_x) {
    for (int64_t y = 0; y < f->positions_y; y++, out += f->positions_x) {
        for (int64_t x = 0; x < f->positions_x; x += LANES) {
            vec sum = V(splat)(bias);
            for (int64_t ty = 0; ty < taps_y; ty++) {
                for (int64_t tx = 0; tx < taps_x; tx++) {
                    sum += V(splat)(weights[ty * taps_x + tx]) * frame_load(f, data, y, x, ty, tx, stride_x);
                }
            }
            V(store_some)(out + x, sum, f->positions_x - x);
        }
    }
}

/* Common filter sizes are compiled separately. */
void slide_channel(const frame* f, const float* data, const float* weights, float bias, float* out) {
    int square = f->taps_y == f->taps_x ? (int)f->taps_x : 0;
    if (square == 3 && f->stride_x == 1) slide_over(f, data, weights, bias, out, 3, 3, 1);
    else if (square == 3 && f->stride_x == 2) slide_over(f, data, weights, bias, out, 3, 3, 2);
    else if (square == 5 && f->stride_x == 1) slide_over(f, data, weights, bias, out, 5, 5, 1);
    else if (f->stride_x == 1) slide_over(f, data, weights, bias, out, f->taps_y, f->taps_x, 1);
    else slide_over(f, data, weights, bias, out, f->taps_y, f->taps_x, f->stride_x);
}

static int32_t slide_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const slide* s = (const slide*)argument;
    const frame* f = &s->frame;
    int64_t taps = f->taps_y * f->taps_x;
    float *data = (float*)worker->scratch, *reversed = data + frame_size(f);
    memset(data, 0, (size_t)frame_size(f) * sizeof(float));
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t channel = unit % s->channels;
        const float* weights = s->weights + channel * taps;
        for (int64_t i = 0; s->reversed && i < taps; i++) reversed[i] = weights[taps - 1 - i];
        frame_fill(f, s->images + unit * f->height * f->width, data);
        slide_channel(f, data, s->reversed ? reversed : weights, s->bias == NULL ? 0 : s->bias[channel],
                      s->out + unit * f->positions_y * f->positions_x);
        finish_run(&s->finish, s->out + unit * f->positions_y * f->positions_x, f->positions_y * f->positions_x);
    }
    return OPFORGE_OK;
}

static int32_t run_slide(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays) {
    const conv_shape* s = &plan->shape;
    slide work = {.channels = s->groups, .weights = (const float*)arrays->weight, .bias = (const float*)arrays->bias};
    if (plan->pass == CONV_OUT) {
        work.frame = frame_of_data(s);
        work.images = (const float*)arrays->data;
        work.out = (float*)arrays->out;
        work.finish = finish_of(call, arrays->epilogue, work.out, conv_volume(s->out), 1);
    } else {
        work.frame = frame_of_out(s);
        work.images = (const float*)arrays->out;
        work.out = (float*)arrays->data;
        work.reversed = 1;
    }
    const frame* f = &work.frame;
    int64_t taps = f->taps_y * f->taps_x;
    int64_t scratch = (frame_size(f) + taps) * (int64_t)sizeof(float);
    int64_t grain = (int64_t)(1e5 / (double)(frame_size(f) + f->positions_y * f->positions_x * taps)) + 1;
    return call->host->parallel(call, s->n * s->groups, grain, scratch, slide_part, &work);
}

void depthwise_plan(conv_plan* plan) {
    plan->finishes = plan->pass == CONV_OUT;
    plan->run = run_slide;
}
