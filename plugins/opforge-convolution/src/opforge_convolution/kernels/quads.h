/* Four elements side by side in memory for each lane, as four vectors. */
#ifndef OPFORGE_CONVOLUTION_QUADS_H
#define OPFORGE_CONVOLUTION_QUADS_H

#include "vec.h"

enum { QUAD = 4, QUADS = LANES / QUAD };

typedef float quad __attribute__((vector_size(16)));
typedef float loose_quad __attribute__((vector_size(16), aligned(4), may_alias));

/* A vector of the quads at base + offsets[0], base + offsets[4], ... */
FORCE_INLINE vec quads_gather(const float* base, const int32_t* offsets) {
#define AT(i) _mm_loadu_ps(base + offsets[QUAD * (i)])
#if defined(__AVX512F__)
    __m256 low = _mm256_insertf128_ps(_mm256_castps128_ps256(AT(0)), AT(1), 1);
    __m256 high = _mm256_insertf128_ps(_mm256_castps128_ps256(AT(2)), AT(3), 1);
    return (vec)_mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
#elif defined(__AVX2__)
    return (vec)_mm256_insertf128_ps(_mm256_castps128_ps256(AT(0)), AT(1), 1);
#else
    return vec_load(base + offsets[0]);
#endif
#undef AT
}

/* Quad `i` of a vector. */
FORCE_INLINE quad quads_take(vec v, int i) {
#if defined(__AVX512F__)
    __m256 half = i < 2 ? _mm512_castps512_ps256((__m512)v) : _mm512_extractf32x8_ps((__m512)v, 1);
    return (quad)(i % 2 == 0 ? _mm256_castps256_ps128(half) : _mm256_extractf128_ps(half, 1));
#elif defined(__AVX2__)
    return (quad)(i == 0 ? _mm256_castps256_ps128((__m256)v) : _mm256_extractf128_ps((__m256)v, 1));
#else
    (void)i;
    return (quad)v;
#endif
}

/* Exchange, in each quad of lanes, rows and columns. */
FORCE_INLINE void quads_transpose(vec v[QUAD]) {
#if defined(__AVX512F__) || defined(__AVX2__)
#if defined(__AVX512F__)
#define UNPACK(half, a, b) (vec)_mm512_unpack##half##_ps((__m512)(a), (__m512)(b))
#define PAIRS(half, a, b) (vec)_mm512_unpack##half##_pd((__m512d)(a), (__m512d)(b))
#else
#define UNPACK(half, a, b) (vec)_mm256_unpack##half##_ps((__m256)(a), (__m256)(b))
#define PAIRS(half, a, b) (vec)_mm256_unpack##half##_pd((__m256d)(a), (__m256d)(b))
#endif
    vec a = UNPACK(lo, v[0], v[1]), b = UNPACK(hi, v[0], v[1]);
    vec c = UNPACK(lo, v[2], v[3]), d = UNPACK(hi, v[2], v[3]);
    v[0] = PAIRS(lo, a, c);
    v[1] = PAIRS(hi, a, c);
    v[2] = PAIRS(lo, b, d);
    v[3] = PAIRS(hi, b, d);
#undef UNPACK
#undef PAIRS
#else
    vec was[QUAD] = {v[0], v[1], v[2], v[3]};
    for (int i = 0; i < QUAD; i++) {
        for (int j = 0; j < QUAD; j++) v[i][j] = was[j][i];
    }
#endif
}

/* Lane l of v[j] = base[offsets[l] + j]. */
FORCE_INLINE void quads_load(vec v[QUAD], const float* base, const int32_t* offsets) {
#pragma GCC unroll 4
    for (int i = 0; i < QUAD; i++) v[i] = quads_gather(base, offsets + i);
    quads_transpose(v);
}

#endif
