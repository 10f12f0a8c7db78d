/* Pooling and adaptive averages: plans, selection of kernels, and the library. */
#include <opforge/module.h>
#include <float.h>
#include <math.h>
#include <opforge/float16.h>
#include <opforge/simd.h>
#include <stdlib.h>

#include "kernels/window.h"
#include "kernels/lanes.h"
#include "kernels/part.h"

enum {
    SUM_LANES = 64, /* independent accumulators, enough to hide the latency of an addition */
    MAX_CHANNELS = 64, /* per unit of work in scatter.h */
    MAX_UINT8_TAPS = 255, /* largest window whose positions fit uint8, with one value left for "no maximum" */
};

#define T float
#define INDEX int32_t
#define NAME(name) name##_f32
#define VECTOR of_f32v
#define VECTOR_LANES OF_LANES_f32v
#define V(name) of_##name##_f32v
#include "kernels/loops.h"
#undef T
#undef INDEX
#undef NAME
#undef VECTOR
#undef VECTOR_LANES
#undef V

#define T double
#define INDEX int64_t
#define NAME(name) name##_f64
#define VECTOR of_f64v
#define VECTOR_LANES OF_LANES_f64v
#define V(name) of_##name##_f64v
#include "kernels/loops.h"

/* -- plan -------------------------------------------------------------------------------------------- */

static int is_text(const opforge_call* call, const char* name, const char* value) {
    const opforge_attribute* found = opforge_find(call, name);
    return found != NULL && found->kind == OPFORGE_TEXT && strcmp(found->text, value) == 0;
}

static int64_t int_attribute(const opforge_call* call, const char* name, int64_t otherwise) {
    const opforge_attribute* found = opforge_find(call, name);
    return found == NULL || found->kind == OPFORGE_NONE ? otherwise : found->integer;
}

static int64_t int_element(const opforge_call* call, const char* name, int64_t at, int64_t otherwise) {
    const opforge_attribute* found = opforge_find(call, name);
    return found != NULL && at < found->size ? found->integers[at] : otherwise;
}

/* The number of elements that the average of each window along an axis divides by. */
static int64_t* make_divisors(const axis* a, int with_pad, int full_window) {
    int64_t* divisors = (int64_t*)malloc((size_t)(a->out + 1) * sizeof *divisors);
    if (divisors == NULL) return NULL;
    for (int64_t output = 0; output < a->out; output++) {
        range in = window_range(a, output);
        int64_t begin = output * a->stride - a->pad;
        int64_t count = with_pad ? min64(begin + a->window, a->in + a->pad) - begin : in.end - in.begin;
        divisors[output] = max64(full_window ? a->window : count, 1); /* avoid dividing by 0 */
    }
    return divisors;
}

/* For each element of a window, its offset from the start of the window. */
static int64_t* offsets_of(const plan* p) {
    const axis* a = p->axes;
    int64_t* offsets = (int64_t*)malloc((size_t)(p->taps + 1) * sizeof *offsets);
    if (offsets == NULL) return NULL;
    for (int64_t tap = 0; tap < p->taps; tap++) {
        int64_t row = tap / a[WIDTH].window;
        int64_t d = row / a[HEIGHT].window, h = row % a[HEIGHT].window;
        offsets[tap] = ((d * a[HEIGHT].in + h) * a[WIDTH].in + tap % a[WIDTH].window) * p->inner;
    }
    return offsets;
}

static int32_t unplan(opforge_call* call) {
    plan* p = (plan*)call->plan;
    for (int i = 0; i < 3; i++) free(p->axes[i].divisors);
    free(p->offsets);
    free(p);
    return OPFORGE_OK;
}

static void measure(const opforge_call* call, plan* p) {
    const opforge_tensor *data = &call->inputs[0], *out = &call->outputs[0];
    const opforge_attribute* layout = opforge_find(call, "layout");
    int blocked = int_attribute(call, "blocked", 0) != 0; /* blocks of channels, their lanes last */
    int spatial = data->ndim - 2 - blocked, global = int_attribute(call, "global_pool", 0) != 0;
    int last = layout != NULL && layout->kind == OPFORGE_TEXT && layout->text[layout->size - 1] == 'C';
    p->inner = last || blocked ? data->shape[data->ndim - 1] : 1;
    p->planes = last ? data->shape[0] : data->shape[0] * data->shape[1];
    p->in_size = p->out_size = p->taps = 1;
    for (int i = 0; i < 3; i++) {
        int at = i - (3 - spatial), dim = at + (last ? 1 : 2);
        axis* a = &p->axes[i];
        *a = (axis){.in = 1, .out = 1, .window = 1, .stride = 1};
        if (at >= 0) {
            a->in = data->shape[dim];
            a->out = out->shape[dim];
            a->window = global ? max64(a->in, 1) : int_element(call, "kernel", at, 1);
            a->stride = global ? 1 : int_element(call, "stride", at, 1);
            a->pad = global ? 0 : int_element(call, "pad", at, 0);
        }
        p->in_size *= a->in;
        p->out_size *= a->out;
        p->taps *= a->window;
    }
    p->global = p->inner == 1 && p->out_size == 1 && p->taps == p->in_size;
    for (int i = 0; i < 3; i++) p->global = p->global && p->axes[i].pad == 0 && p->axes[i].window == p->axes[i].in;
}

static int is_halved(const axis* a) {
    return a->window == 2 && a->stride == 2 && a->pad == 0 && 2 * a->out <= a->in && a->out > 0;
}

static int has_pairs(const plan* p) {
    return p->inner == 1 && p->power == 1 && p->axes[DEPTH].in == 1 && p->axes[DEPTH].window == 1 &&
           p->axes[DEPTH].out == 1 && is_halved(&p->axes[HEIGHT]) && is_halved(&p->axes[WIDTH]) &&
           p->axes[WIDTH].out >= LANES;
}

static double lowest_of(opforge_dtype dtype) {
    if (dtype == OPFORGE_FLOAT64) return -DBL_MAX;
    return dtype == OPFORGE_FLOAT32 ? -FLT_MAX : dtype == OPFORGE_BFLOAT16 ? -0x1.fep127 : -65504;
}

static int32_t make_plan(opforge_call* call) {
    plan* p = (plan*)calloc(1, sizeof *p);
    if (p == NULL) return OPFORGE_NO_MEMORY;
    call->plan = p;
    measure(call, p);
    int first_version = opforge_find(call, "count_include_pad") == NULL; /* Pooling_v1 */
    p->kind = is_text(call, "pool_type", "max") ? MAXIMUM : SUM;
    p->average = is_text(call, "pool_type", "avg");
    p->power = is_text(call, "pool_type", "lp") ? (int)int_attribute(call, "p_value", 2) : 1;
    p->pairs = has_pairs(p);
    p->lowest = first_version ? -INFINITY : lowest_of(call->inputs[0].dtype);
    p->zero_padding = first_version;
    int with_pad = int_attribute(call, "count_include_pad", 1) != 0;
    int complete = 1;
    for (int i = 0; i < 3; i++) {
        axis* a = &p->axes[i];
        a->divisors = make_divisors(a, with_pad, first_version && p->average && !int_attribute(call, "global_pool", 0));
        complete = complete && a->divisors != NULL;
    }
    if (p->kind == MAXIMUM && call->stage == OPFORGE_BACKWARD) {
        p->offsets = offsets_of(p);
        complete = complete && p->offsets != NULL;
    }
    if (complete) return OPFORGE_OK;
    unplan(call);
    call->plan = NULL;
    return OPFORGE_NO_MEMORY;
}

/* -- pooling ------------------------------------------------------------------------------------------ */

typedef void (*kernel)(const plan* p, const opforge_call* call, char* scratch, int64_t begin, int64_t end);

typedef struct work {
    opforge_call* call;
    const plan* p;
    kernel run;
} work;

static int32_t run_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const work* w = (const work*)argument;
    w->run(w->p, w->call, (char*)worker->scratch, begin, end);
    return OPFORGE_OK;
}

/* Run a kernel over units of work that each touch about `each` elements. */
static int32_t run_all(opforge_call* call, kernel run, int64_t units, int64_t each, int64_t scratch) {
    work w = {call, (const plan*)call->plan, run};
    return call->host->parallel(call, units, max64(1, 16384 / max64(each, 1)), scratch, run_part, &w);
}

static int32_t forward(opforge_call* call) {
    const plan* p = (const plan*)call->plan;
    if (opforge_is_half(call->inputs[0].dtype)) return opforge_in_float32(call, forward);
    int single = call->inputs[0].dtype == OPFORGE_FLOAT32;
    int64_t each = p->in_size + p->out_size * min64(p->taps, 64) / 4, rows = p->axes[DEPTH].out * p->axes[HEIGHT].out;
    if (p->out_size == 0) return OPFORGE_OK;
    if (p->global) return run_all(call, single ? pool_global_f32 : pool_global_f64, p->planes, each, 0);
    if (p->pairs) return run_all(call, single ? pool_pairs_f32 : pool_pairs_f64, p->planes * rows, each / rows, 0);
    if (p->inner == 1) {
        row_buffers_f32 b32;
        row_buffers_f64 b64;
        int64_t scratch = single ? lay_out_buffers_f32(p, &b32, NULL) : lay_out_buffers_f64(p, &b64, NULL);
        return run_all(call, single ? pool_planes_f32 : pool_planes_f64, p->planes, each, scratch);
    }
    return run_all(call, single ? pool_pixels_f32 : pool_pixels_f64, p->planes * rows, each / rows * p->inner, 0);
}

static int32_t backward(opforge_call* call) {
    const plan* p = (const plan*)call->plan;
    if (opforge_is_half(call->in_grads[0].dtype)) return opforge_in_float32(call, backward);
    int single = call->in_grads[0].dtype == OPFORGE_FLOAT32;
    int64_t each = p->in_size + p->out_size, rows = p->axes[DEPTH].in * p->axes[HEIGHT].in;
    if (call->in_grads[0].byte_size == 0) return OPFORGE_OK;
    if (p->pairs) {
        int64_t windows = p->axes[HEIGHT].out;
        return run_all(call, single ? spread_pairs_f32 : spread_pairs_f64, p->planes * windows, each / windows, 0);
    }
    if (p->kind == MAXIMUM) {
        int64_t blocks = (p->inner + MAX_CHANNELS - 1) / MAX_CHANNELS;
        return run_all(call, single ? scatter_units_f32 : scatter_units_f64, p->planes * blocks,
                       each * min64(p->inner, MAX_CHANNELS), 0);
    }
    if (p->global) return run_all(call, single ? spread_global_f32 : spread_global_f64, p->planes, each, 0);
    if (p->inner == 1) {
        int64_t scratch = single ? spread_bytes_f32(p) : spread_bytes_f64(p);
        return run_all(call, single ? spread_planes_f32 : spread_planes_f64, p->planes, each, scratch);
    }
    return run_all(call, single ? spread_pixels_f32 : spread_pixels_f64, p->planes * rows, each / rows * p->inner, 0);
}

/* -- adaptive averages -------------------------------------------------------------------------------- */

static int32_t adapt(opforge_call* call, const opforge_tensor* data, const opforge_tensor* out, int is_backward) {
    const int64_t *in = data->shape, *to = out->shape;
    adaptive a = {in[2], in[3], to[2], to[3], is_backward, is_backward ? out->data : data->data,
                  is_backward ? data->data : out->data};
    int single = data->dtype == OPFORGE_FLOAT32;
    if (data->byte_size == 0 || (out->byte_size == 0 && !is_backward)) return OPFORGE_OK;
    int64_t grain = max64(1, 16384 / (in[2] * in[3] + to[2] * to[3]));
    return call->host->parallel(call, in[0] * in[1], grain, in[3] * (int64_t)sizeof(double),
                                single ? average_part_f32 : average_part_f64, &a);
}

static int32_t adapt_forward(opforge_call* call) {
    if (opforge_is_half(call->inputs[0].dtype)) return opforge_in_float32(call, adapt_forward);
    return adapt(call, &call->inputs[0], &call->outputs[0], 0);
}

static int32_t adapt_backward(opforge_call* call) {
    if (opforge_is_half(call->in_grads[0].dtype)) return opforge_in_float32(call, adapt_backward);
    return adapt(call, &call->in_grads[0], &call->out_grads[0], 1);
}

/* -- the library --------------------------------------------------------------------------------------- */

#define POOLING(title) \
    {.head = OPFORGE_HEAD(opforge_operator), .name = title, .plan = make_plan, .unplan = unplan, \
     .forward = forward, .backward = backward}

static const opforge_operator pooling = POOLING("Pooling"), pooling_v1 = POOLING("Pooling_v1");
static const opforge_operator adaptive_average = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "_contrib_AdaptiveAvgPooling2D",
    .forward = adapt_forward,
    .backward = adapt_backward,
};

OPFORGE_MODULE(_native, &pooling, &pooling_v1, &adaptive_average);
