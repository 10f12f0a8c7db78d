#include "kernels/packed_filters.h"

#include <math.h>

#include "kernels/byte_depthwise.h"
#include "kernels/byte_product.h"
#include "kernels/rounding.h"

enum { ALIGNMENT = 64, MAX_DEPTHWISE_TAPS = 128 };

static const float LEVELS = 127.5f; /* to which the largest magnitude of a filter is quantized */

int filter_sizes_of(int64_t filters, int64_t channels, int64_t taps, int64_t groups, filter_sizes* s) {
    int64_t elements;
    *s = (filter_sizes){.groups = groups, .filters = filters / groups, .channels = channels, .taps = taps};
    if (__builtin_mul_overflow(filters + 256, channels * taps + 64, &elements) || elements > INT64_MAX / 64) return 0;
    s->is_depthwise = groups > 1 && s->filters == 1 && channels == 1 && taps <= MAX_DEPTHWISE_TAPS;
    s->padded = s->is_depthwise ? byte_depthwise_padded(groups) : byte_padded_columns(s->filters);
    s->packed = s->is_depthwise ? byte_depthwise_packed_size(groups, taps)
                                : byte_packed_size(s->filters, channels * taps);
    const int64_t parts = s->is_depthwise ? 1 : groups, columns = parts * s->padded * 4;
    s->byte_size = 2 * ((columns + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT) + parts * s->packed;
    return 1;
}

packed_filters packed_filters_at(const filter_sizes* s, void* block) {
    const int64_t parts = s->is_depthwise ? 1 : s->groups;
    const int64_t columns = (parts * s->padded * 4 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    char* bytes = (char*)block;
    return (packed_filters){(float*)bytes, (int32_t*)(bytes + columns), (int8_t*)(bytes + 2 * columns)};
}

int64_t filter_column(const filter_sizes* s, int64_t filter) {
    if (!s->is_depthwise) return filter / s->filters * s->padded + filter % s->filters;
    return byte_depthwise_column(filter);
}

/* The factor that quantizes a filter; filters of zeros have 1. */
static float scale_of(const float* weights, int64_t n) {
    float largest = 0;
    for (int64_t i = 0; i < n; i++) largest = fabsf(weights[i]) > largest ? fabsf(weights[i]) : largest;
    return largest > 0 ? LEVELS / largest : 1;
}

/* Pack filters whose rows in `memory` have the taps in order, and the channels of each tap. */
static void pack_rows(const filter_sizes* s, const int8_t* memory, const packed_filters* to) {
    const int64_t length = s->channels * s->taps;
    if (s->is_depthwise) {
        byte_depthwise_pack(memory, s->groups, s->taps, to->weights, to->sums);
        return;
    }
    for (int64_t group = 0; group < s->groups; group++) {
        byte_pack(memory + group * s->filters * length, s->filters, length, to->weights + group * s->packed,
                  to->sums + group * s->padded);
    }
}

void pack_filters(const filter_sizes* s, const float* weights, int8_t* memory, void* block) {
    const packed_filters to = packed_filters_at(s, block);
    const int64_t length = s->channels * s->taps;
    memset(block, 0, (size_t)s->byte_size);
    for (int64_t filter = 0; filter < s->groups * s->filters; filter++) {
        const float* from = weights + filter * length;
        const float scale = scale_of(from, length);
        int8_t* row = memory + filter * length;
        to.scales[filter_column(s, filter)] = scale;
        for (int64_t channel = 0; channel < s->channels; channel++) {
            for (int64_t tap = 0; tap < s->taps; tap++) {
                row[tap * s->channels + channel] = to_int8(from[channel * s->taps + tap] * scale);
            }
        }
    }
    pack_rows(s, memory, &to);
}

void pack_integers(const filter_sizes* s, const int8_t* weights, int8_t* memory, void* block) {
    const packed_filters to = packed_filters_at(s, block);
    memset(block, 0, (size_t)s->byte_size);
    for (int64_t filter = 0; filter < s->groups * s->filters; filter++) {
        const int8_t* from = weights + filter * s->channels * s->taps;
        int8_t* row = memory + filter * s->channels * s->taps;
        to.scales[filter_column(s, filter)] = 1;
        for (int64_t channel = 0; channel < s->channels; channel++) {
            for (int64_t tap = 0; tap < s->taps; tap++) row[tap * s->channels + channel] = *from++;
        }
    }
    pack_rows(s, memory, &to);
}
