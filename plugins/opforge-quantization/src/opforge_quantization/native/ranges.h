/* Real ranges of quantized arrays: the arrays of one element that accompany each of them.
 *
 * A range is that of the largest magnitude T of its two ends. MXNet quantizes with 127.5 / T, or 255.5 / T for
 * uint8, but `quantize`, `requantize` and the ranges of products use 127 / T and 255 / T. */
#ifndef OPFORGE_QUANTIZED_RANGES_H
#define OPFORGE_QUANTIZED_RANGES_H

#include <math.h>
#include <opforge/abi.h>

/* The magnitude of the largest int32, and of the smallest, in float32. */
static const float INT32_LIMIT = 2147483648.0f;

/* The value that T is quantized to, before rounding. */
static inline float finer_limit(opforge_dtype dtype) { return dtype == OPFORGE_UINT8 ? 255.5f : 127.5f; }
static inline float whole_limit(opforge_dtype dtype) { return dtype == OPFORGE_UINT8 ? 255.0f : 127.0f; }

/* The largest magnitude of a range. */
static inline float magnitude_of(float low, float high) {
    low = fabsf(low), high = fabsf(high);
    return low < high ? high : low;
}

/* The element of an array of one. */
static inline float number_of(const opforge_tensor* array) { return *(const float*)array->data; }

/* The magnitude of the range in inputs `at` and `at` + 1. */
static inline float range_at(const opforge_call* call, int at) {
    return magnitude_of(number_of(&call->inputs[at]), number_of(&call->inputs[at + 1]));
}

/* Fill the range that follows the first output. */
static inline void set_range(opforge_call* call, float low, float high) {
    *(float*)call->outputs[1].data = low;
    *(float*)call->outputs[2].data = high;
}

/* Read the range from calibration, if the operator has one. */
static inline int find_calibrated(const opforge_call* call, float* low, float* high) {
    const opforge_attribute *first = opforge_find(call, "min_calib_range"), *last = opforge_find(call, "max_calib_range");
    if (first->kind == OPFORGE_NONE || last->kind == OPFORGE_NONE) return 0;
    *low = (float)first->number, *high = (float)last->number;
    return 1;
}

/* Elements, and products of bytes, that take one thread about 5 microseconds. */
enum { GRAIN = 32768, PRODUCTS_OF_GRAIN = 1 << 19 };

#endif
