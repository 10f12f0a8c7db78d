/* Arithmetic on sizes. */
#ifndef OPFORGE_CONVOLUTION_SIZES_H
#define OPFORGE_CONVOLUTION_SIZES_H

#include <stdint.h>

static inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

static inline int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

static inline int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

#endif
