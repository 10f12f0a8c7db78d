/* Vectors of T as wide as the instruction set has them, in the compiler's vector types. T is the element's type
 * and BITS the signed integer of its size. */
#include <stdint.h>
#include <string.h>

/* TILE_ROWS: rows of a tile of two vectors each that leave registers for two vectors and one factor. */
#if defined(__AVX512F__)
enum { VECTOR_BYTES = 64, TILE_ROWS = 14 };
#elif defined(__AVX2__)
enum { VECTOR_BYTES = 32, TILE_ROWS = 6 };
#else
enum { VECTOR_BYTES = 16, TILE_ROWS = 6 };
#endif

/* PANEL: columns of a tile, and queries that are computed together. */
enum { LANES = VECTOR_BYTES / sizeof(T), PANEL = 2 * LANES };

typedef T vec __attribute__((vector_size(VECTOR_BYTES)));
typedef T loose_vec __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));
typedef BITS bits_vec __attribute__((vector_size(VECTOR_BYTES)));

#define FORCE_INLINE static inline __attribute__((always_inline))

FORCE_INLINE vec vec_load(const T* p) { return *(const loose_vec*)p; }

FORCE_INLINE void vec_store(T* p, vec v) { *(loose_vec*)p = v; }

FORCE_INLINE vec vec_of(T x) { return x - (vec){0}; }

/* a where the mask's bits are set, b elsewhere. */
FORCE_INLINE vec vec_choose(bits_vec mask, vec a, vec b) { return (vec)((mask & (bits_vec)a) | (~mask & (bits_vec)b)); }

/* The larger one; b where either is NaN. */
FORCE_INLINE vec vec_larger(vec a, vec b) { return vec_choose(a > b, a, b); }

/* The lanes that `which` names, those of b from LANES on. Clang's own form wants them as constants, and makes such of
 * this once the loops are unrolled. */
FORCE_INLINE vec vec_pick(vec a, vec b, bits_vec which) {
#ifndef __clang__
    return __builtin_shuffle(a, b, which);
#else
    vec made;
    for (int lane = 0; lane < LANES; lane++) made[lane] = which[lane] < LANES ? a[which[lane]] : b[which[lane] - LANES];
    return made;
#endif
}

/* The lanes' sum. */
FORCE_INLINE T vec_sum(vec v) {
#pragma GCC unroll 16
    for (int half = LANES / 2; half > 0; half /= 2) {
        bits_vec other;
#pragma GCC unroll 16
        for (int lane = 0; lane < LANES; lane++) other[lane] = lane ^ half;
        v += vec_pick(v, v, other);
    }
    return v[0];
}

FORCE_INLINE T dot(const T* a, const T* b, int64_t n) {
    vec sums = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) sums += vec_load(a + i) * vec_load(b + i);
    T sum = vec_sum(sums);
    for (; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* As many rows as there are lanes become columns: squares of half the length change places, then their quarters. */
FORCE_INLINE void vec_transpose(vec rows[LANES]) {
#pragma GCC unroll 16
    for (int half = LANES / 2; half > 0; half /= 2) {
        bits_vec upper, lower;
#pragma GCC unroll 16
        for (int lane = 0; lane < LANES; lane++) {
            upper[lane] = lane & half ? LANES + lane - half : lane;
            lower[lane] = lane & half ? LANES + lane : lane + half;
        }
#pragma GCC unroll 16
        for (int i = 0; i < LANES; i++) {
            if (i & half) continue;
            vec a = rows[i], b = rows[i + half];
            rows[i] = vec_pick(a, b, upper);
            rows[i + half] = vec_pick(a, b, lower);
        }
    }
}

/* exp(x) = 2^n * (1 + q) for x that is not large, as differences from a maximum are not; 0 where 2^n is no normal
 * number. NaN stays. The polynomials are those of opforge's own kernels. */
FORCE_INLINE vec vec_exp(vec x) {
    const vec least = vec_of(EXP_LEAST), magic = vec_of(EXP_MAGIC);
    bits_vec gone = x < least;
    vec within = vec_choose(gone, least, x);
    vec shifted = within * vec_of((T)1.4426950408889634) + magic, n = shifted - magic;
    vec r = n * vec_of(-LN2_HIGH) + within;
    r = n * vec_of(-LN2_LOW) + r;
    static const T factors[] = EXP_FACTORS;
    vec q = vec_of(factors[0]);
#pragma GCC unroll 16
    for (unsigned i = 1; i < sizeof factors / sizeof *factors; i++) q = q * r + factors[i];
    q = q * r * r + r;
    vec power = (vec)((bits_vec)shifted << FRACTION_BITS);
    return vec_choose(gone, (vec){0}, q * power + power);
}
