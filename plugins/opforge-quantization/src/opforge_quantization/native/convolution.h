/* A convolution of 8-bit integers: its sizes and arrays. */
#ifndef OPFORGE_QUANTIZED_CONVOLUTION_H
#define OPFORGE_QUANTIZED_CONVOLUTION_H

#include <stdbool.h>

#include "native/window.h"

typedef struct convolution {
    window w;
    int64_t n, groups, channels, filters; /* channels and filters of a group */
    const char* data;
    const int8_t* weight;
    const int32_t* bias; /* NULL without a bias */
    int32_t* out;
    bool is_unsigned;
} convolution;

static inline void add_bias(int32_t* sums, int64_t n, int32_t bias) {
    for (int64_t i = 0; i < n; i++) sums[i] = (int32_t)((uint32_t)sums[i] + (uint32_t)bias); /* wraps */
}

/* By products of filters with gathered patches. */
int32_t convolve_patches(opforge_call* call, const convolution* c);

/* Directly, for one channel in each group. */
int32_t convolve_depthwise(opforge_call* call, const convolution* c);

#endif
