/* Vectors of float32 as wide as the instruction set has them. All arithmetic is written with the
 * compiler's vector types; what those cannot say, loads of some lanes alone, stands here. */
#ifndef OPFORGE_CONVOLUTION_VEC_H
#define OPFORGE_CONVOLUTION_VEC_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

/* LANES: float32 in a vector. TILE_ROWS: rows of a tile of two vectors each that leave registers for
 * two vectors of the panel and one of the weight. */
#if defined(__AVX512F__)
enum { LANES = 16, TILE_ROWS = 14 };
#elif defined(__AVX2__)
enum { LANES = 8, TILE_ROWS = 6 };
#else
enum { LANES = 4, TILE_ROWS = 6 };
#endif

typedef float vec __attribute__((vector_size(4 * LANES)));
typedef float loose_vec __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

#define FORCE_INLINE static inline __attribute__((always_inline))

FORCE_INLINE vec vec_load(const float* p) { return *(const loose_vec*)p; }

FORCE_INLINE void vec_store(float* p, vec v) { *(loose_vec*)p = v; }

FORCE_INLINE vec vec_of(float x) { return x - (vec){0}; }

/* Lanes [from, to) of `v` from `base[lane * step]`, which is the only memory that is read. */
FORCE_INLINE vec vec_load_lanes(vec v, const float* base, int64_t step, int from, int to) {
#if defined(__AVX512F__)
    __mmask16 lanes = (__mmask16)((0xffffu >> (16 - to + from)) << from);
    if (step == 1) return (vec)_mm512_mask_loadu_ps((__m512)v, lanes, base);
    if (step == 2) {
        uint64_t both = (~UINT64_C(0) >> (65 - 2 * (to - from))) << (2 * from);
        const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
        __m512 low = _mm512_maskz_loadu_ps((__mmask16)both, base);
        __m512 high = _mm512_maskz_loadu_ps((__mmask16)(both >> 16), base + 16);
        return (vec)_mm512_mask_blend_ps(lanes, (__m512)v, _mm512_permutex2var_ps(low, even, high));
    }
#elif defined(__AVX2__)
    if (step == 1) {
        const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        __m256i lanes = _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(from), lane),
                                            _mm256_cmpgt_epi32(_mm256_set1_epi32(to), lane));
        __m256 loaded = _mm256_maskload_ps(base, lanes);
        return (vec)_mm256_blendv_ps((__m256)v, loaded, _mm256_castsi256_ps(lanes));
    }
#endif
    for (int lane = from; lane < to; lane++) v[lane] = base[lane * step];
    return v;
}

/* The first `n` lanes, of LANES at most. */
FORCE_INLINE void vec_store_lanes(float* p, vec v, int64_t n) {
#if defined(__AVX512F__)
    _mm512_mask_storeu_ps(p, (__mmask16)(0xffffu >> (16 - n)), (__m512)v);
#else
    if (n == LANES) vec_store(p, v);
    else memcpy(p, &v, (size_t)n * sizeof(float));
#endif
}

FORCE_INLINE float vec_sum(vec v) {
    float sum = 0;
    for (int lane = 0; lane < LANES; lane++) sum += v[lane];
    return sum;
}

/* The sums of four vectors' lanes, added to p[0..3]. */
FORCE_INLINE void vec_add_sums(float* p, vec a, vec b, vec c, vec d) {
#if defined(__AVX2__)
#if defined(__AVX512F__)
#define HALF(v) _mm256_add_ps(_mm512_castps512_ps256((__m512)(v)), _mm512_extractf32x8_ps((__m512)(v), 1))
#else
#define HALF(v) (__m256)(v)
#endif
    __m256 sums = _mm256_hadd_ps(_mm256_hadd_ps(HALF(a), HALF(b)), _mm256_hadd_ps(HALF(c), HALF(d)));
    __m128 all = _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1));
    _mm_storeu_ps(p, _mm_add_ps(_mm_loadu_ps(p), all));
#undef HALF
#else
    const vec v[4] = {a, b, c, d};
    for (int i = 0; i < 4; i++) p[i] += v[i][0] + v[i][1] + (v[i][2] + v[i][3]);
#endif
}

#endif
