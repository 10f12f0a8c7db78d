/* Ranks: integers in the order of float values, with NaN above all others. Compilers vectorize the maximum of a
 * row of integers, but not of floats, because NaN is unordered. */
#ifndef OPFORGE_RANK_H
#define OPFORGE_RANK_H

#include <stdint.h>
#include <string.h>

/* The bits of negative numbers are in reverse order. Masks are used because selects would prevent vectorization. */
#define OF_RANK(suffix, Float, Int, most) \
    static inline Int opforge_rank_##suffix(Float x) { \
        Int bits, nan = -(Int)(x != x); \
        memcpy(&bits, &x, sizeof x); \
        bits ^= (bits >> (8 * sizeof x - 1)) & most; \
        return (bits | nan) & ~(nan & ~most); \
    } \
    static inline Float opforge_of_rank_##suffix(Int rank) { \
        Float x; \
        rank ^= (rank >> (8 * sizeof x - 1)) & most; \
        memcpy(&x, &rank, sizeof x); \
        return x; \
    }
OF_RANK(f32, float, int32_t, INT32_MAX)
OF_RANK(f64, double, int64_t, INT64_MAX)

#define opforge_rank(x) _Generic((x), float: opforge_rank_f32, default: opforge_rank_f64)(x)
#define opforge_of_rank(rank) \
    _Generic((rank), int32_t: opforge_of_rank_f32, default: opforge_of_rank_f64)(rank)

#endif
