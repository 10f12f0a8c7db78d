/* Depthwise convolution: the gradient of weights. One thread sums a channel over all images, so that the sums do
 * not depend on the number of threads. */
#include "kernels.h"

#include "frame.h"

typedef struct sums {
    frame frame;
    int64_t images, channels;
    const float* data;
    const float* out;
    float* weight;
} sums;

/* Add the contribution of one image's channel to the sums of `rows` rows of taps, from `first` on. */
OF_INLINE void add_taps(const frame* f, const float* data, const float* out, float* taps, int64_t first,
                        const int rows, const int columns, int64_t column, int64_t stride_x) {
    vec acc[9] = {{0}};
    for (int64_t y = 0; y < f->positions_y; y++, out += f->positions_x) {
        for (int64_t x = 0; x < f->positions_x; x += LANES) {
            vec one = V(load_some)(out + x, f->positions_x - x);
#pragma GCC unroll 9
            for (int i = 0; i < rows * columns; i++) {
                acc[i] += one * frame_load(f, data, y, x, first + i / columns, column + i % columns, stride_x);
            }
        }
    }
#pragma GCC unroll 9
    for (int i = 0; i < rows * columns; i++) {
        taps[(first + i / columns) * f->taps_x + column + i % columns] += V(sum)(acc[i]);
    }
}

static void add_image(const frame* f, const float* data, const float* out, float* taps) {
    int square = f->taps_y == f->taps_x ? (int)f->taps_x : 0;
    if (square == 3 && f->stride_x == 1) return add_taps(f, data, out, taps, 0, 3, 3, 0, 1);
    if (square == 3 && f->stride_x == 2) return add_taps(f, data, out, taps, 0, 3, 3, 0, 2);
    for (int64_t ty = 0; ty < f->taps_y; ty++) {
        if (f->taps_x == 5 && f->stride_x == 1) {
            add_taps(f, data, out, taps, ty, 1, 5, 0, 1);
            continue;
        }
        for (int64_t tx = 0; tx < f->taps_x; tx++) add_taps(f, data, out, taps, ty, 1, 1, tx, f->stride_x);
    }
}

static int32_t sums_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const sums* s = (const sums*)argument;
    const frame* f = &s->frame;
    float* data = (float*)worker->scratch;
    memset(data, 0, (size_t)frame_size(f) * sizeof(float));
    for (int64_t channel = begin; channel < end; channel++) {
        float* taps = s->weight + channel * f->taps_y * f->taps_x;
        memset(taps, 0, (size_t)(f->taps_y * f->taps_x) * sizeof(float));
        for (int64_t image = 0; image < s->images; image++) {
            int64_t plane = image * s->channels + channel;
            frame_fill(f, s->data + plane * f->height * f->width, data);
            add_image(f, data, s->out + plane * f->positions_y * f->positions_x, taps);
        }
    }
    return OPFORGE_OK;
}

static int32_t run_sums(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays) {
    const conv_shape* s = &plan->shape;
    sums work = {frame_of_data(s), s->n, s->groups, (const float*)arrays->data, (const float*)arrays->out,
                 (float*)arrays->weight};
    const frame* f = &work.frame;
    double work_of_image = (double)(frame_size(f) + f->positions_y * f->positions_x * f->taps_y * f->taps_x);
    int64_t grain = (int64_t)(1e5 / (work_of_image * (double)(s->n + 1))) + 1;
    return call->host->parallel(call, s->groups, grain, frame_size(f) * (int64_t)sizeof(float), sums_part, &work);
}

void depthwise_weight_plan(conv_plan* plan) { plan->run = run_sums; }
