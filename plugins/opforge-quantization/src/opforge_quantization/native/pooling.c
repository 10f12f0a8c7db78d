/* quantized_pooling: maxima and averages of windows. */
#include "native/operators.h"
#include "native/pooling_channels.h"
#include "native/ranges.h"
#include "native/window.h"
#include "kernels/rounding.h"

typedef struct pooling {
    window w;
    const void* data;
    void* out;
    int with_pad; /* whether averages include padding */
} pooling;

typedef struct place {
    taps d, h, v;
} place;

static int64_t count_at(const pooling* p, const place* at) {
    if (p->with_pad) return volume_of(p->w.kernel);
    int64_t count = (at->d.end - at->d.begin) * (at->h.end - at->h.begin) * (at->v.end - at->v.begin);
    return count > 0 ? count : 1;
}

/* The reduction of one window: each element is combined with `found`. */
#define REDUCE(type, combine) \
    for (int64_t i = at->d.begin; i < at->d.end; i++) { \
        for (int64_t j = at->h.begin; j < at->h.end; j++) { \
            int64_t row = (at->d.at + i - at->d.begin) * p->w.in[HEIGHT] + at->h.at + j - at->h.begin; \
            const type* x = (const type*)data + row * p->w.in[WIDTH] + at->v.at; \
            for (int64_t k = 0; k < at->v.end - at->v.begin; k++) combine; \
        } \
    }

#define DEFINE_WINDOWS(type, lowest, round) \
    static void max_##type(const pooling* p, const void* data, const place* at, void* out) { \
        int32_t found = lowest; \
        REDUCE(type, found = x[k] > found ? x[k] : found) \
        *(type*)out = (type)found; \
    } \
    static void avg_##type(const pooling* p, const void* data, const place* at, void* out) { \
        int32_t found = 0; \
        REDUCE(type, found += x[k]) \
        *(type*)out = round((float)found / (float)count_at(p, at)); \
    }

DEFINE_WINDOWS(int8_t, INT8_MIN, to_int8)
DEFINE_WINDOWS(uint8_t, 0, to_uint8)

typedef void (*reduction)(const pooling* p, const void* data, const place* at, void* out);

typedef struct planes {
    const pooling* p;
    reduction reduce;
} planes;

static void run_planes(void* argument, int64_t begin, int64_t end) {
    const planes* all = (const planes*)argument;
    const pooling* p = all->p;
    const int64_t* out = p->w.out;
    for (int64_t plane = begin; plane < end; plane++) {
        const char* data = (const char*)p->data + plane * volume_of(p->w.in);
        char* to = (char*)p->out + plane * volume_of(out);
        for (int64_t position = 0; position < volume_of(out); position++, to++) {
            int64_t row = position / out[WIDTH];
            place at = {taps_at(&p->w, DEPTH, row / out[HEIGHT]), taps_at(&p->w, HEIGHT, row % out[HEIGHT]),
                        taps_at(&p->w, WIDTH, position % out[WIDTH])};
            all->reduce(p, data, &at, to);
        }
    }
}

static int32_t pool(opforge_call* call) {
    const opforge_tensor *data = &call->inputs[0], *out = &call->outputs[0];
    const opforge_attribute* with_pad = opforge_find(call, "count_include_pad");
    pooling p = {read_window(call), data->data, out->data, with_pad->kind == OPFORGE_NONE || with_pad->integer};
    if (opforge_find(call, "global_pool")->integer) {
        for (int axis = 0; axis < AXES; axis++) p.w.kernel[axis] = p.w.in[axis], p.w.stride[axis] = 1, p.w.pad[axis] = 0;
    }
    int is_signed = data->dtype == OPFORGE_INT8, is_max = opforge_find(call, "pool_type")->text[0] == 'm';
    planes all = {&p, is_max ? is_signed ? max_int8_t : max_uint8_t : is_signed ? avg_int8_t : avg_uint8_t};
    set_range(call, number_of(&call->inputs[1]), number_of(&call->inputs[2]));
    if (out->byte_size == 0) return OPFORGE_OK;
    if (opforge_find(call, "blocked")->integer) {
        pool_channels(call, &p.w, is_max, p.with_pad);
        return OPFORGE_OK;
    }
    int64_t each = volume_of(p.w.out) * (volume_of(p.w.kernel) + 8);
    call->host->parallel_for(call, data->shape[0] * data->shape[1], 1 + GRAIN / each, run_planes, &all);
    return OPFORGE_OK;
}

const opforge_operator pooling_operator = OPERATOR("_contrib_quantized_pooling", pool);
