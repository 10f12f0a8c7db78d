/* Memory that is laid out piece by piece: how many elements there are so far. */
#ifndef OPFORGE_RNN_COUNT_H
#define OPFORGE_RNN_COUNT_H

#include <stdint.h>

typedef struct rnn_count {
    int64_t elements;
    int32_t overflows;
} rnn_count;

/* Take a * b * c * d elements; returns where they begin. */
static inline int64_t rnn_take(rnn_count* t, int64_t a, int64_t b, int64_t c, int64_t d) {
    int64_t n, begin = t->elements;
    t->overflows |= __builtin_mul_overflow(a, b, &n) || __builtin_mul_overflow(n, c, &n) ||
                    __builtin_mul_overflow(n, d, &n) || __builtin_add_overflow(begin, n, &t->elements);
    return begin;
}

/* All of them; -1: their bytes are more than 64 bits count. */
static inline int64_t rnn_taken(const rnn_count* t) {
    return t->overflows || t->elements > INT64_MAX / (int64_t)sizeof(double) ? -1 : t->elements;
}

#endif
