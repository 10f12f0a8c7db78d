/* Layout of memory by consecutive allocations: the number of elements so far. */
#ifndef OPFORGE_RNN_LAYOUT_H
#define OPFORGE_RNN_LAYOUT_H

#include <stdint.h>

typedef struct rnn_layout {
    int64_t elements;
    int32_t overflows;
} rnn_layout;

/* Allocate a * b * c * d elements; return their offset. */
static inline int64_t rnn_allocate(rnn_layout* t, int64_t a, int64_t b, int64_t c, int64_t d) {
    int64_t n, begin = t->elements;
    t->overflows |= __builtin_mul_overflow(a, b, &n) || __builtin_mul_overflow(n, c, &n) ||
                    __builtin_mul_overflow(n, d, &n) || __builtin_add_overflow(begin, n, &t->elements);
    return begin;
}

/* The total number of elements; -1 if their bytes overflow 64 bits. */
static inline int64_t rnn_total(const rnn_layout* t) {
    return t->overflows || t->elements > INT64_MAX / (int64_t)sizeof(double) ? -1 : t->elements;
}

#endif
