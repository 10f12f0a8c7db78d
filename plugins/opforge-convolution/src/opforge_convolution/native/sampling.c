#include "sampling.h"

#include <math.h>

#define REAL float
#define NAMED(name) name##_f32
#include "sampling_typed.h"
#undef REAL
#undef NAMED

#define REAL double
#define NAMED(name) name##_f64
#include "sampling_typed.h"

int64_t conv_sampling_bytes(int64_t columns, int64_t channels) {
    return columns * (int64_t)sizeof(point_f64) + channels * (int64_t)sizeof(double);
}

void conv_sample(const conv_shape* s, const conv_field* field, const conv_block* block, int64_t begin, int64_t end,
                 const void* pixels, void* scratch, void* patches) {
    if (s->dtype == OPFORGE_FLOAT32) {
        sample_f32(s, field, block, begin, end, (const float*)pixels, (point_f32*)scratch, (float*)patches);
    } else {
        sample_f64(s, field, block, begin, end, (const double*)pixels, (point_f64*)scratch, (double*)patches);
    }
}

void conv_unsample(const conv_shape* s, const conv_field* field, const conv_block* block, int64_t begin, int64_t end,
                   const void* data, void* scratch, const void* patches, const conv_field_grads* grads) {
    if (s->dtype == OPFORGE_FLOAT32) {
        unsample_f32(s, field, block, begin, end, (const float*)data, (point_f32*)scratch, (const float*)patches, grads);
    } else {
        unsample_f64(s, field, block, begin, end, (const double*)data, (point_f64*)scratch, (const double*)patches, grads);
    }
}
