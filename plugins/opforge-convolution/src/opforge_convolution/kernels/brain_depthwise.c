/* Depthwise convolution of bfloat16: the forward pass and the gradient of data, computed in float32 in the cache. */
#include <opforge/brain.h>

#ifdef OF_BRAIN_PRODUCTS

#include "brain.h"
#include "brain_finish.h"
#include "slide.h"

typedef struct work {
    frame frame;
    int64_t channels, taps, plane; /* positions of the results of a channel */
    int is_reversed;               /* taps */
    const uint16_t *images, *weights, *bias;
    uint16_t* out;
    const opforge_call* finish; /* whose epilogue is applied to the results, or NULL */
} work;

static work describe(const conv_shape* s, conv_pass pass) {
    work w = {.frame = pass == CONV_OUT ? frame_of_data(s) : frame_of_out(s), .channels = s->groups};
    w.taps = conv_volume(s->kernel);
    w.plane = w.frame.positions_y * w.frame.positions_x;
    w.is_reversed = pass == CONV_DATA;
    return w;
}

/* Elements of a worker's memory: the frame, the image, the results with full vectors after them, and the taps. */
static int64_t image_size(const work* w) { return w->frame.height * w->frame.width; }
static int64_t results_size(const work* w) { return w->plane + OF_BRAIN_COLUMNS; }
static int64_t scratch_size(const work* w) {
    return frame_size(&w->frame) + image_size(w) + results_size(w) + w->taps;
}

static void widen(const uint16_t* from, int64_t n, float* to) {
    for (int64_t i = 0; i < n; i++) to[i] = of_brain_to_float(from[i]);
}

/* Compute one channel of one image. */
static void run_unit(const work* w, int64_t unit, float* data) {
    const frame* f = &w->frame;
    float *image = data + frame_size(f), *results = image + image_size(w), *taps = results + results_size(w);
    const int64_t channel = unit % w->channels;
    const uint16_t* weights = w->weights + channel * w->taps;
    for (int64_t i = 0; i < w->taps; i++) taps[i] = of_brain_to_float(weights[w->is_reversed ? w->taps - 1 - i : i]);
    widen(w->images + unit * image_size(w), image_size(w), image);
    frame_fill(f, image, data);
    slide_channel(f, data, taps, w->bias == NULL ? 0 : of_brain_to_float(w->bias[channel]), results);
    for (int64_t at = 0; at < w->plane; at += OF_BRAIN_COLUMNS) {
        const int64_t left = w->plane - at;
        const segments s = {1, {{0, left < OF_BRAIN_COLUMNS ? left : OF_BRAIN_COLUMNS, at}}};
        brain_store_row(OF_BRAIN_VECTORS, w->finish, &s, unit * w->plane, results + at, w->out + unit * w->plane, 1);
    }
}

static int32_t run_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const work* w = (const work*)argument;
    float* data = (float*)worker->scratch;
    memset(data, 0, (size_t)frame_size(&w->frame) * sizeof *data);
    memset(data + scratch_size(w) - w->taps - OF_BRAIN_COLUMNS, 0, OF_BRAIN_COLUMNS * sizeof *data); /* after the results */
    for (int64_t unit = begin; unit < end; unit++) run_unit(w, unit, data);
    return OPFORGE_OK;
}

static int32_t run(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays) {
    const conv_shape* s = &plan->shape;
    work w = describe(s, plan->pass);
    w.images = (const uint16_t*)(plan->pass == CONV_OUT ? arrays->data : arrays->out);
    w.out = (uint16_t*)(plan->pass == CONV_OUT ? arrays->out : arrays->data);
    w.weights = (const uint16_t*)arrays->weight;
    w.bias = (const uint16_t*)arrays->bias;
    w.finish = arrays->epilogue ? call : NULL;
    const int64_t grain = (int64_t)(1e5 / (double)(scratch_size(&w) + w.plane * w.taps)) + 1;
    return call->host->parallel(call, s->n * s->groups, grain, scratch_size(&w) * (int64_t)sizeof(float), run_part, &w);
}

void brain_depthwise_plan(opforge_call* call, conv_plan* plan) {
    plan->finishes = plan->pass == CONV_OUT && brain_finishes(call, conv_volume(plan->shape.out));
    plan->run = run;
}

#endif
