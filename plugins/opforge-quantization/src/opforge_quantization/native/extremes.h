/* The smallest and the largest element of an array. */
#ifndef OPFORGE_QUANTIZED_EXTREMES_H
#define OPFORGE_QUANTIZED_EXTREMES_H

#include <opforge/abi.h>

/* Those of float32, without NaN; FLT_MAX and -FLT_MAX if there are no others. */
int32_t find_extremes(opforge_call* call, const float* data, int64_t n, float* low, float* high);

/* The largest magnitude of int32. */
int32_t find_magnitude(opforge_call* call, const int32_t* data, int64_t n, float* magnitude);

#endif
