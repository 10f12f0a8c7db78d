/* Where the elements of an axis of the result come from: each is made of one or two of the data's. All
 * of padding, repetition, and interpolation are tables of these. */
#ifndef RESIZE_LINE_H
#define RESIZE_LINE_H

#include <opforge/abi.h>
#include <stdlib.h>

typedef struct range {
    int64_t begin, end;
} range;

/* Result `i` is `low[i]`, or between `low[i]` and `high[i]` as `weight[i]` of the latter says; negative
 * `low` is the constant. In `run`, elements follow each other as they do in the data; `is_moved` says that
 * it has all of these, and that the rest is constant. Where `times` is not 0, the result is each element
 * of the data so often. */
typedef struct line {
    int64_t in, out, times;
    int64_t *low, *high;
    double* weight;
    range run;
    int is_moved;
} line;

static inline void close_line(line* l) { free(l->low); }

/* Make room for the tables of `in` elements that become `out`, the plain copy of the first. */
static inline int32_t open_line(line* l, int64_t in, int64_t out) {
    *l = (line){.in = in, .out = out};
    l->low = (int64_t*)calloc((size_t)out + 1, 2 * sizeof(int64_t) + sizeof(double));
    if (l->low == NULL) return OPFORGE_NO_MEMORY;
    l->high = l->low + out + 1;
    l->weight = (double*)(l->high + out + 1);
    for (int64_t i = 0; i < out; i++) l->low[i] = l->high[i] = i;
    return OPFORGE_OK;
}

/* Find the longest stretch that is a copy, and whether there is anything else. */
static inline void find_run(line* l) {
    range now = {0, 0};
    int64_t constants = 0;
    for (int64_t i = 0; i < l->out; i++) {
        int plain = l->low[i] >= 0 && l->weight[i] == 0;
        constants += l->low[i] < 0;
        int follows = plain && now.end == i && i > now.begin && l->low[i] == l->low[i - 1] + 1;
        if (!follows) now.begin = i;
        now.end = plain ? i + 1 : i;
        if (now.end - now.begin > l->run.end - l->run.begin) l->run = now;
    }
    l->is_moved = l->run.end - l->run.begin == l->in && l->in + constants == l->out;
}

enum { CONSTANT, EDGE, REFLECT };

/* `before` elements before the data, and as many after it as the result has left. */
static inline void pad_line(line* l, int64_t before, int mode) {
    for (int64_t i = 0; i < l->out; i++) {
        int64_t at = i - before;
        int64_t inside = at < 0 ? 0 : at < l->in ? at : l->in - 1;
        if (mode == REFLECT) inside = at < 0 ? -at : at < l->in ? at : 2 * (l->in - 1) - at;
        l->low[i] = l->high[i] = mode == CONSTANT && at != inside ? -1 : inside;
    }
}

/* Of an axis without elements. */
static inline void all_constant(line* l) {
    for (int64_t i = 0; i < l->out; i++) l->low[i] = l->high[i] = -1;
}

static inline void repeat_line(line* l) {
    l->times = l->out / l->in;
    for (int64_t i = 0; i < l->out; i++) l->low[i] = l->high[i] = i / l->times;
}

/* The elements from `begin` on. */
static inline void cut_line(line* l, int64_t begin) {
    for (int64_t i = 0; i < l->out; i++) l->low[i] = l->high[i] = begin + i < l->in ? begin + i : -1;
}

/* Positions from the first element to the last, or with the elements' middles as corners. */
static inline void interpolate_line(line* l, int align_corners) {
    double step = align_corners ? (l->out > 1 ? (double)(l->in - 1) / (double)(l->out - 1) : 0)
                                : (double)l->in / (double)l->out;
    for (int64_t i = 0; i < l->out; i++) {
        double at = align_corners ? step * (double)i : step * ((double)i + 0.5) - 0.5;
        if (at < 0) at = 0;
        int64_t low = (int64_t)at;
        if (low > l->in - 1) low = l->in - 1;
        l->low[i] = low;
        l->high[i] = low + (low < l->in - 1);
        l->weight[i] = l->high[i] == low ? 0 : at - (double)low;
    }
}

#endif
