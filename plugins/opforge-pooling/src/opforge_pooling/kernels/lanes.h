/* Vectors of eight elements and of eight pairs. NAME(eight) is the vector type. */
#ifndef POOLING_LANES_H
#define POOLING_LANES_H

#include <stdint.h>

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define POOLING_SHUFFLES
#endif
#endif

#ifdef POOLING_SHUFFLES
#define FIRST_OF_PAIRS(v) __builtin_shufflevector(v, v, 0, 2, 4, 6, 8, 10, 12, 14)
#define SECOND_OF_PAIRS(v) __builtin_shufflevector(v, v, 1, 3, 5, 7, 9, 11, 13, 15)
#define AS_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)
#else
#define FIRST_OF_PAIRS(v) (NAME(eight)){v[0], v[2], v[4], v[6], v[8], v[10], v[12], v[14]}
#define SECOND_OF_PAIRS(v) (NAME(eight)){v[1], v[3], v[5], v[7], v[9], v[11], v[13], v[15]}
#define AS_PAIRS(a, b)                                                                              \
    (NAME(sixteen)){a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3],                                 \
                    a[4], b[4], a[5], b[5], a[6], b[6], a[7], b[7]}
#endif

enum { LANES = 8 };

typedef uint8_t eight_bytes __attribute__((vector_size(LANES)));

/* The start of the next eight elements; `n` is at least eight. The last group overlaps the one before if n is
 * not a multiple of eight. */
static inline int64_t next_eight(int64_t at, int64_t n) {
    int64_t next = at + LANES;
    return next < n && next + LANES > n ? n - LANES : next;
}

#endif
