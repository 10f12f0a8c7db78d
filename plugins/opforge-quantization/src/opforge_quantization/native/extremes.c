#include "native/extremes.h"

#include <float.h>
#include <math.h>

#include "native/ranges.h"

enum { LANES = 32 }; /* independent comparisons, which compilers turn into vectors */

typedef struct extremes {
    float low, high;
} extremes;

typedef struct search {
    const void* data;
    extremes* found; /* for each worker */
} search;

static int32_t search_floats(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const search* s = (const search*)argument;
    const float* data = (const float*)s->data;
    extremes* found = &s->found[worker->index];
    float low[LANES], high[LANES];
    for (int lane = 0; lane < LANES; lane++) low[lane] = found->low, high[lane] = found->high;
    int64_t i = begin;
    for (; i + LANES <= end; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            float x = data[i + lane]; /* comparisons with NaN are false */
            low[lane] = x < low[lane] ? x : low[lane];
            high[lane] = x > high[lane] ? x : high[lane];
        }
    }
    for (int lane = 0; i < end; i++, lane++) {
        low[lane] = data[i] < low[lane] ? data[i] : low[lane];
        high[lane] = data[i] > high[lane] ? data[i] : high[lane];
    }
    for (int lane = 0; lane < LANES; lane++) {
        if (low[lane] < found->low) found->low = low[lane];
        if (high[lane] > found->high) found->high = high[lane];
    }
    return OPFORGE_OK;
}

static int32_t search_integers(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const search* s = (const search*)argument;
    const int32_t* data = (const int32_t*)s->data;
    int32_t low = 0, high = 0;
    for (int64_t i = begin; i < end; i++) {
        low = data[i] < low ? data[i] : low;
        high = data[i] > high ? data[i] : high;
    }
    extremes* found = &s->found[worker->index];
    found->low = fminf(found->low, (float)low);
    found->high = fmaxf(found->high, (float)high);
    return OPFORGE_OK;
}

static int32_t find_all(opforge_call* call, const void* data, int64_t n, opforge_part body, extremes* found) {
    int32_t count = call->host->threads(call);
    search s = {data, (extremes*)call->host->scratch(call, count * (int64_t)sizeof(extremes))};
    if (s.found == NULL) return OPFORGE_NO_MEMORY;
    for (int32_t worker = 0; worker < count; worker++) s.found[worker] = *found;
    int32_t status = call->host->parallel(call, n, GRAIN, 0, body, &s);
    for (int32_t worker = 0; worker < count; worker++) {
        found->low = fminf(found->low, s.found[worker].low);
        found->high = fmaxf(found->high, s.found[worker].high);
    }
    return status;
}

int32_t find_extremes(opforge_call* call, const float* data, int64_t n, float* low, float* high) {
    extremes found = {FLT_MAX, -FLT_MAX};
    int32_t status = find_all(call, data, n, search_floats, &found);
    *low = found.low, *high = found.high;
    return status;
}

int32_t find_magnitude(opforge_call* call, const int32_t* data, int64_t n, float* magnitude) {
    extremes found = {0, 0};
    int32_t status = find_all(call, data, n, search_integers, &found);
    *magnitude = magnitude_of(found.low, found.high);
    return status;
}
