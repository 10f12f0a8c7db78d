/* Arguments of adaptive averages. */
#ifndef POOLING_PART_H
#define POOLING_PART_H

#include "window.h"

typedef struct adaptive {
    int64_t height, width, out_height, out_width;
    int backward;
    const void* from;
    void* to;
} adaptive;

/* The elements in window `at` of `n` over `length` elements. */
static inline range part(int64_t at, int64_t length, int64_t n) {
    return (range){at * length / n, ((at + 1) * length + n - 1) / n};
}

#endif
