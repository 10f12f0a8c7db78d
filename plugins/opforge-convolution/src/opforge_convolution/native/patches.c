#include "patches.h"

int conv_is_identity(const conv_shape* s) {
    for (int axis = 0; axis < CONV_DIMS; axis++) {
        if (s->kernel[axis] != 1 || s->stride[axis] != 1 || s->pad[axis] != 0) return 0;
    }
    return 1;
}

/* A run of `count` positions along the last axis, under one element of the filter. Those in [inside, inside_end)
 * are inside the image, from `first` in steps of the stride. */
typedef struct segment {
    int64_t count, inside, inside_end, first;
} segment;

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* The number of positions x >= 0 with x * stride < distance. */
static int64_t positions(int64_t distance, int64_t stride) { return distance <= 0 ? 0 : (distance - 1) / stride + 1; }

/* Find the run that starts at a position and ends with its row, or at `limit`. */
static segment find_segment(const conv_shape* s, int64_t row, int64_t position, int64_t limit) {
    int64_t at[CONV_DIMS], in[CONV_DIMS], channel = row, rest = position;
    for (int axis = CONV_DIMS - 1; axis >= 0; axis--) {
        at[axis] = rest % s->out[axis];
        in[axis] = channel % s->kernel[axis] * s->dilate[axis] - s->pad[axis];
        rest /= s->out[axis];
        channel /= s->kernel[axis];
    }
    segment found = {.count = smaller(s->out[2] - at[2], limit - position)};
    int64_t depth = in[0] + at[0] * s->stride[0], height = in[1] + at[1] * s->stride[1];
    if (depth < 0 || depth >= s->in[0] || height < 0 || height >= s->in[1]) return found;
    int64_t begin = larger(positions(-in[2], s->stride[2]) - at[2], 0);
    int64_t end = smaller(positions(s->in[2] - in[2], s->stride[2]) - at[2], found.count);
    if (begin >= end) return found;
    found.inside = begin;
    found.inside_end = end;
    found.first = ((channel * s->in[0] + depth) * s->in[1] + height) * s->in[2] + in[2] + (at[2] + begin) * s->stride[2];
    return found;
}

#define EACH_SEGMENT(s, b, segment_name)                                                        \
    for (int64_t row = (b)->row; row < (b)->row_end; row++)                                     \
        for (int64_t position = (b)->column; position < (b)->column_end; position += segment_name.count) \
            if (segment_name = find_segment(s, row, position, (b)->column_end), 1)

#define DEFINE_UNFOLD(type)                                                                          \
    static void unfold_##type(const conv_shape* s, const conv_block* b, const type* data, type* to) { \
        segment run;                                                                                 \
        EACH_SEGMENT(s, b, run) {                                                                    \
            const type* from = data + run.first;                                                     \
            int64_t i = 0, step = s->stride[2];                                                      \
            for (; i < run.inside; i++) to[i] = 0;                                                   \
            if (step == 1) {                                                                         \
                memcpy(to + i, from, (size_t)(run.inside_end - i) * sizeof(type));                   \
                i = run.inside_end;                                                                  \
            }                                                                                        \
            for (; i < run.inside_end; i++, from += step) to[i] = *from;                             \
            for (; i < run.count; i++) to[i] = 0;                                                    \
            to += run.count;                                                                         \
        }                                                                                            \
    }

#define DEFINE_FOLD(type)                                                                            \
    static void fold_##type(const conv_shape* s, const conv_block* b, const type* from, type* data) { \
        segment run;                                                                                 \
        EACH_SEGMENT(s, b, run) {                                                                    \
            type* to = data + run.first;                                                             \
            int64_t step = s->stride[2], n = run.inside_end - run.inside;                            \
            const type* values = from + run.inside;                                                  \
            for (int64_t i = 0; i < n; i++) to[i * step] += values[i];                               \
            from += run.count;                                                                       \
        }                                                                                            \
    }

DEFINE_UNFOLD(uint16_t)
DEFINE_UNFOLD(float)
DEFINE_UNFOLD(double)
DEFINE_FOLD(float)
DEFINE_FOLD(double)

void conv_unfold(const conv_shape* s, const conv_block* block, const void* data, void* patches) {
    if (s->dtype == OPFORGE_FLOAT32) unfold_float(s, block, (const float*)data, (float*)patches);
    else if (opforge_is_half(s->dtype)) unfold_uint16_t(s, block, (const uint16_t*)data, (uint16_t*)patches);
    else unfold_double(s, block, (const double*)data, (double*)patches);
}

void conv_fold(const conv_shape* s, const conv_block* block, const void* patches, void* data) {
    if (s->dtype == OPFORGE_FLOAT32) fold_float(s, block, (const float*)patches, (float*)data);
    else fold_double(s, block, (const double*)patches, (double*)data);
}
