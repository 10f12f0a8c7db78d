/* Transformation of weights. */
#include "conv.h"
#include "tile.h"
#include "winograd.h"
#include "winograd_transforms.h"

typedef struct packing {
    const weight_view* view;
    float* packed;
} packing;

/* Work of the operator _winograd_weight. */
typedef struct vectors {
    weight_view view; /* sizes and strides only */
    const void* weight;
    void* points;
} vectors;

_Static_assert((int)TILE_ROWS <= (int)WINO_ROWS && (int)LANES <= (int)WINO_ROWS, "a tile's rows are transformed together");
_Static_assert((int)CONV_POINTS == (int)WINO_POINTS, "operators and kernels agree on the transform");

#define DEFINE_TRANSFORM(T)                                                                                         \
    /* One channel of some rows; their elements go to `to`, `step` apart. */                                        \
    static void transform_##T(const weight_view* w, const T* from, int64_t rows, T* to, int64_t step) {             \
        wino_rows_##T taps[WINO_TAPS][WINO_TAPS] = {{{0}}}, half[WINO_IN][WINO_TAPS], points[WINO_IN];              \
        for (int64_t r = 0; r < rows; r++, from += w->row_step) {                                                   \
            for (int ty = 0; ty < WINO_TAPS; ty++) {                                                                \
                for (int tx = 0; tx < WINO_TAPS; tx++) taps[ty][tx][r] = from[ty * w->tap_y_step + tx * w->tap_x_step]; \
            }                                                                                                       \
        }                                                                                                           \
        for (int ty = 0; ty < WINO_TAPS; ty++) {                                                                    \
            wino_taps_##T(taps[ty], points);                                                                        \
            for (int x = 0; x < WINO_IN; x++) half[x][ty] = points[x];                                              \
        }                                                                                                           \
        for (int x = 0; x < WINO_IN; x++) {                                                                         \
            wino_taps_##T(half[x], points);                                                                         \
            for (int y = 0; y < WINO_IN; y++) {                                                                     \
                memcpy(to + (y * WINO_IN + x) * step, &points[y], (size_t)rows * sizeof(T));                        \
            }                                                                                                       \
        }                                                                                                           \
    }                                                                                                               \
                                                                                                                    \
    /* A unit is one channel of one vector of filters. */                                                           \
    static void vectors_part_##T(void* argument, int64_t begin, int64_t end) {                                      \
        const vectors* v = (const vectors*)argument;                                                                \
        const weight_view* w = &v->view;                                                                            \
        for (int64_t unit = begin; unit < end; unit++) {                                                            \
            int64_t vector = unit / w->channels, channel = unit % w->channels;                                      \
            const T* from = (const T*)v->weight + vector * LANES * w->row_step + channel * w->channel_step;         \
            T* to = (T*)v->points + (vector * WINO_POINTS * w->channels + channel) * LANES;                         \
            transform_##T(w, from, LANES, to, w->channels * LANES);                                                 \
        }                                                                                                           \
    }
DEFINE_TRANSFORM(float)
DEFINE_TRANSFORM(double)
#undef DEFINE_TRANSFORM

void wino_pack_tile(const weight_view* view, int64_t group, int64_t first, int64_t rows, float* packed) {
    const float* from = view->data + group * view->group_step + first * view->row_step;
    for (int64_t c = 0; c < view->channels; c++) {
        transform_float(view, from + c * view->channel_step, rows, packed + c * rows, view->channels * rows);
    }
}

void wino_pack_taps(const weight_view* view, int64_t group, int64_t first, int64_t rows, float* packed) {
    const float* from = view->data + group * view->group_step + first * view->row_step;
    for (int ty = 0; ty < WINO_TAPS; ty++) {
        for (int tx = 0; tx < WINO_TAPS; tx++) {
            const float* tap = from + ty * view->tap_y_step + tx * view->tap_x_step;
            for (int64_t c = 0; c < view->channels; c++) {
                for (int64_t r = 0; r < rows; r++) *packed++ = tap[c * view->channel_step + r * view->row_step];
            }
        }
    }
}

static void pack_part(void* argument, int64_t begin, int64_t end) {
    const packing* p = (const packing*)argument;
    const weight_view* w = p->view;
    int64_t tiles = tile_count(w->rows);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t group = unit / tiles, first = tile_begin(w->rows, unit % tiles);
        int64_t rows = tile_begin(w->rows, unit % tiles + 1) - first;
        wino_pack_tile(w, group, first, rows, p->packed + (group * w->rows + first) * w->channels * WINO_POINTS);
    }
}

void wino_pack(opforge_call* call, const weight_view* view, float* packed) {
    packing p = {view, packed};
    int64_t grain = 100 / (view->channels * TILE_ROWS) + 1;
    call->host->parallel_for(call, view->groups * tile_count(view->rows), grain, pack_part, &p);
}

void conv_fast_transform(opforge_call* call, opforge_dtype dtype, int64_t filters, int64_t channels, const void* weight,
                         void* points) {
    enum { TAPS = WINO_TAPS * WINO_TAPS };
    vectors v = {
        .view = {
            .groups = 1, .rows = filters, .channels = channels, .taps_y = WINO_TAPS, .taps_x = WINO_TAPS,
            .row_step = channels * TAPS, .channel_step = TAPS, .tap_y_step = WINO_TAPS, .tap_x_step = 1,
        },
        .weight = weight, .points = points,
    };
    opforge_range part = dtype == OPFORGE_FLOAT32 ? vectors_part_float : vectors_part_double;
    call->host->parallel_for(call, filters / LANES * channels, 16, part, &v);
}
