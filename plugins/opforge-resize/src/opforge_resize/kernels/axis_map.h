/* The source of each element along an axis of the result: one or two elements of the data. Padding, cropping,
 * repetition and interpolation are all such maps. */
#ifndef RESIZE_AXIS_MAP_H
#define RESIZE_AXIS_MAP_H

#include <opforge/abi.h>
#include <stdlib.h>

typedef struct range {
    int64_t begin, end;
} range;

/* Element `i` of the result is element `low[i]` of the data, or interpolated between `low[i]` and `high[i]`
 * with `weight[i]` for the latter; a negative `low` means the constant. Results in `run` are consecutive
 * elements of the data. With `is_shifted_copy`, `run` covers all of the data and the rest is constant. If
 * `repeats` is not 0, each element of the data is repeated that many times. */
typedef struct axis_map {
    int64_t in, out, repeats;
    int64_t *low, *high;
    double* weight;
    range run;
    int is_shifted_copy;
} axis_map;

static inline void free_map(axis_map* map) { free(map->low); }

/* Allocate a map from `in` elements to `out`, initially the identity. */
static inline int32_t init_map(axis_map* map, int64_t in, int64_t out) {
    *map = (axis_map){.in = in, .out = out};
    map->low = (int64_t*)calloc((size_t)out + 1, 2 * sizeof(int64_t) + sizeof(double));
    if (map->low == NULL) return OPFORGE_NO_MEMORY;
    map->high = map->low + out + 1;
    map->weight = (double*)(map->high + out + 1);
    for (int64_t i = 0; i < out; i++) map->low[i] = map->high[i] = i;
    return OPFORGE_OK;
}

/* Find the longest run of copied elements, and whether it is all that the result takes from the data. */
static inline void find_run(axis_map* map) {
    range now = {0, 0};
    int64_t constants = 0;
    for (int64_t i = 0; i < map->out; i++) {
        int plain = map->low[i] >= 0 && map->weight[i] == 0;
        constants += map->low[i] < 0;
        int follows = plain && now.end == i && i > now.begin && map->low[i] == map->low[i - 1] + 1;
        if (!follows) now.begin = i;
        now.end = plain ? i + 1 : i;
        if (now.end - now.begin > map->run.end - map->run.begin) map->run = now;
    }
    map->is_shifted_copy = map->run.end - map->run.begin == map->in && map->in + constants == map->out;
}

enum { CONSTANT, EDGE, REFLECT };

/* Pad with `before` elements before the data and the remaining ones after it. */
static inline void map_padding(axis_map* map, int64_t before, int mode) {
    for (int64_t i = 0; i < map->out; i++) {
        int64_t at = i - before;
        int64_t inside = at < 0 ? 0 : at < map->in ? at : map->in - 1;
        if (mode == REFLECT) inside = at < 0 ? -at : at < map->in ? at : 2 * (map->in - 1) - at;
        map->low[i] = map->high[i] = mode == CONSTANT && at != inside ? -1 : inside;
    }
}

/* Map every element to the constant, for an axis without elements. */
static inline void map_to_constant(axis_map* map) {
    for (int64_t i = 0; i < map->out; i++) map->low[i] = map->high[i] = -1;
}

static inline void map_repetition(axis_map* map) {
    map->repeats = map->out / map->in;
    for (int64_t i = 0; i < map->out; i++) map->low[i] = map->high[i] = i / map->repeats;
}

/* Map to the elements from `begin` on. */
static inline void map_crop(axis_map* map, int64_t begin) {
    for (int64_t i = 0; i < map->out; i++) map->low[i] = map->high[i] = begin + i < map->in ? begin + i : -1;
}

/* Interpolate: with `align_corners` the first and last elements coincide, otherwise the outer edges do. */
static inline void map_interpolation(axis_map* map, int align_corners) {
    double step = align_corners ? (map->out > 1 ? (double)(map->in - 1) / (double)(map->out - 1) : 0)
                                : (double)map->in / (double)map->out;
    for (int64_t i = 0; i < map->out; i++) {
        double at = align_corners ? step * (double)i : step * ((double)i + 0.5) - 0.5;
        if (at < 0) at = 0;
        int64_t low = (int64_t)at;
        if (low > map->in - 1) low = map->in - 1;
        map->low[i] = low;
        map->high[i] = low + (low < map->in - 1);
        map->weight[i] = map->high[i] == low ? 0 : at - (double)low;
    }
}

#endif
