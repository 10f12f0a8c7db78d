/* Vectors of float32 and float64, as wide as the registers of the instruction set that a file is compiled for.
 *
 * `of_f32v` and `of_f64v` are vector types of the compiler: +, -, *, / and comparisons work on them, and v[i] is a
 * lane. This header defines what such types lack. The suffix of a function is its type: `of_exp_f32v` computes a
 * vector; `of_exp_f32` a float, without branches, so that compilers vectorize loops over it. A file for several types
 * selects the suffix with a macro.
 *
 * Intrinsics are used only where compilers generate bad code for vector types. Each instruction set has them here and
 * its number of registers below, and nothing else depends on it. Like the convenience functions of abi.h, all of this
 * is part of your plugin, not of the interface. Valid C11 and C++ for GCC and Clang. The guide "Write a fast kernel"
 * has examples.
 *
 * The header includes itself, for each element type and then for each type of the elementary functions. */
#ifndef OPFORGE_SIMD_H
#define OPFORGE_SIMD_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#define OF_INLINE static inline __attribute__((always_inline, unused))

/* ## Instruction sets: the size of a vector, the number of registers, and the names of intrinsics */

#if defined(__AVX512F__)
#define OF_VECTOR_BYTES 64
#define OF_REGISTERS 32
#define OF_X86_f32v(name) _mm512_##name##_ps
#define OF_X86_f64v(name) _mm512_##name##_pd
#elif defined(__AVX2__) && defined(__FMA__)
#define OF_VECTOR_BYTES 32
#define OF_REGISTERS 16
#define OF_X86_f32v(name) _mm256_##name##_ps
#define OF_X86_f64v(name) _mm256_##name##_pd
#else
#define OF_VECTOR_BYTES 16
#ifdef __aarch64__
#define OF_REGISTERS 32
#else
#define OF_REGISTERS 16
#endif
#endif

/* a * b + c of scalars, rounded once if the hardware can; in ISO C mode, compilers do not fuse on their own. */
#if defined(__FMA__) || defined(__FP_FAST_FMAF)
#define OF_FMAF(a, b, c) __builtin_fmaf(a, b, c)
#define OF_FMA(a, b, c) __builtin_fma(a, b, c)
#else
#define OF_FMAF(a, b, c) ((a) * (b) + (c))
#define OF_FMA(a, b, c) ((a) * (b) + (c))
#endif

/* Lanes of two vectors of a type with `count` lanes; `which` has their indices, those of b after those of a. Clang's
 * builtin takes only constants; Clang compiles the loop to it, once the indices are known. */
#ifndef __clang__
#define OF_SHUFFLE(type, count, a, b, which) __builtin_shuffle(a, b, which)
#else
#define OF_SHUFFLE(type, count, a, b, which)                                                                  \
    __extension__({                                                                                           \
        type of_made = a;                                                                                     \
        for (int i = 0; i < count; i++) of_made[i] = which[i] < count ? a[which[i]] : b[which[i] - count];    \
        of_made;                                                                                              \
    })
#endif

/* ## Types: vectors, the results of their comparisons (-1 or 0), their bits, and vectors at the address of any element */

enum { OF_LANES_f32v = OF_VECTOR_BYTES / 4, OF_LANES_f64v = OF_VECTOR_BYTES / 8 };

typedef float of_f32v __attribute__((vector_size(OF_VECTOR_BYTES)));
typedef int32_t of_mask_f32v __attribute__((vector_size(OF_VECTOR_BYTES)));
typedef uint32_t of_bits_f32v __attribute__((vector_size(OF_VECTOR_BYTES)));
typedef float of_loose_f32v __attribute__((vector_size(OF_VECTOR_BYTES), aligned(4), may_alias));
typedef double of_f64v __attribute__((vector_size(OF_VECTOR_BYTES)));
typedef int64_t of_mask_f64v __attribute__((vector_size(OF_VECTOR_BYTES)));
typedef uint64_t of_bits_f64v __attribute__((vector_size(OF_VECTOR_BYTES)));
typedef double of_loose_f64v __attribute__((vector_size(OF_VECTOR_BYTES), aligned(8), may_alias));

/* ## Vectors of any element type */

#define OF_T float
#define OF_V(name) of_##name##_f32v
#define OF_VECTOR of_f32v
#define OF_LANES OF_LANES_f32v
#define OF_X86 OF_X86_f32v
#include "simd.h"
#define OF_T double
#define OF_V(name) of_##name##_f64v
#define OF_VECTOR of_f64v
#define OF_LANES OF_LANES_f64v
#define OF_X86 OF_X86_f64v
#include "simd.h"

/* ## Vectors of float32 only */

/* Load lanes [from, to) from `p[lane * step]`, and the others from `v`; reads no other memory. */
OF_INLINE of_f32v of_load_lanes_f32v(of_f32v v, const float* p, int64_t step, int from, int to) {
#if defined(__AVX512F__)
    __mmask16 lanes = (__mmask16)((0xffffu >> (16 - to + from)) << from);
    if (step == 1) return (of_f32v)_mm512_mask_loadu_ps((__m512)v, lanes, p);
    if (step == 2) {
        uint64_t both = (~UINT64_C(0) >> (65 - 2 * (to - from))) << (2 * from);
        const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
        __m512 low = _mm512_maskz_loadu_ps((__mmask16)both, p);
        __m512 high = _mm512_maskz_loadu_ps((__mmask16)(both >> 16), p + 16);
        return (of_f32v)_mm512_mask_blend_ps(lanes, (__m512)v, _mm512_permutex2var_ps(low, even, high));
    }
#elif defined(OF_X86_f32v)
    if (step == 1) {
        const of_mask_f32v lane = {0, 1, 2, 3, 4, 5, 6, 7};
        of_mask_f32v lanes = (lane >= from) & (lane < to);
        __m256 loaded = _mm256_maskload_ps(p, (__m256i)lanes);
        return (of_f32v)_mm256_blendv_ps((__m256)v, loaded, (__m256)lanes);
    }
#endif
    for (int lane = from; lane < to; lane++) v[lane] = p[lane * step];
    return v;
}

/* The larger of two integers in each lane. */
OF_INLINE of_mask_f32v of_larger_f32v(of_mask_f32v a, of_mask_f32v b) {
#if defined(__AVX512F__)
    return (of_mask_f32v)_mm512_max_epi32((__m512i)a, (__m512i)b);
#elif defined(OF_X86_f32v)
    return (of_mask_f32v)_mm256_max_epi32((__m256i)a, (__m256i)b);
#else
    of_mask_f32v is_larger = a > b;
    return (a & is_larger) | (b & ~is_larger);
#endif
}

/* Four adjacent elements. */
typedef float of_quad __attribute__((vector_size(16)));

/* Elements [4 * i, 4 * i + 4). */
OF_INLINE of_quad of_quad_f32v(of_f32v v, int i) {
    of_quad quads[OF_LANES_f32v / 4];
    memcpy(quads, &v, sizeof v);
    return quads[i];
}

/* Transpose the square of the quads i of all four vectors, for each i. */
OF_INLINE void of_transpose_quads_f32v(of_f32v v[4]) {
    of_mask_f32v low, high, first, last;
#pragma GCC unroll 16
    for (int lane = 0; lane < OF_LANES_f32v; lane++) {
        int quad = lane & ~3, at = lane & 3;
        low[lane] = quad + at / 2 + at % 2 * OF_LANES_f32v;
        high[lane] = low[lane] + 2;
        first[lane] = quad + at % 2 + at / 2 * OF_LANES_f32v;
        last[lane] = first[lane] + 2;
    }
    of_f32v a = of_shuffle_f32v(v[0], v[1], low), b = of_shuffle_f32v(v[0], v[1], high);
    of_f32v c = of_shuffle_f32v(v[2], v[3], low), d = of_shuffle_f32v(v[2], v[3], high);
    v[0] = of_shuffle_f32v(a, c, first);
    v[1] = of_shuffle_f32v(a, c, last);
    v[2] = of_shuffle_f32v(b, d, first);
    v[3] = of_shuffle_f32v(b, d, last);
}

/* Sum the lanes of each of four vectors. */
OF_INLINE void of_sums_f32v(const of_f32v v[4], float totals[4]) {
#ifdef OF_X86_f32v
    __m256 half[4];
    for (int i = 0; i < 4; i++) {
#ifdef __AVX512F__
        __m256d high = _mm512_extractf64x4_pd((__m512d)v[i], 1);
        half[i] = _mm256_add_ps(_mm512_castps512_ps256((__m512)v[i]), (__m256)high);
#else
        half[i] = (__m256)v[i];
#endif
    }
    __m256 sums = _mm256_hadd_ps(_mm256_hadd_ps(half[0], half[1]), _mm256_hadd_ps(half[2], half[3]));
    _mm_storeu_ps(totals, _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1)));
#else
    of_f32v parts[4] = {v[0], v[1], v[2], v[3]};
    of_transpose_quads_f32v(parts);
    of_store_f32v(totals, parts[0] + parts[1] + (parts[2] + parts[3]));
#endif
}

/* Lane l of v[j] = p[offsets[l] + j], for j < 4. */
OF_INLINE void of_load_quads_f32v(of_f32v v[4], const float* p, const int32_t* offsets) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++, offsets++) {
#ifdef OF_X86_f32v
        __m256 low = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p + offsets[0])),
                                          _mm_loadu_ps(p + offsets[4]), 1);
#ifdef __AVX512F__
        __m256 high = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p + offsets[8])),
                                           _mm_loadu_ps(p + offsets[12]), 1);
        v[i] = (of_f32v)_mm512_insertf64x4(_mm512_castpd256_pd512((__m256d)low), (__m256d)high, 1);
#else
        v[i] = (of_f32v)low;
#endif
#else
        v[i] = of_load_f32v(p + offsets[0]);
#endif
    }
    of_transpose_quads_f32v(v);
}

/* ## Elementary functions of scalars and vectors */

OF_INLINE uint32_t of_bits_f32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

OF_INLINE float of_from_bits_f32(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

OF_INLINE uint64_t of_bits_f64(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

OF_INLINE double of_from_bits_f64(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#define OF_X float
#define OF_BITS uint32_t
#define OF_NAMED(name) of_##name##_f32
#define OF_FROM_BITS of_from_bits_f32
#define OF_TO_BITS of_bits_f32
#define OF_FUSED OF_FMAF
#define OF_ABS fabsf
#define OF_SIGNED copysignf
#define OF_SELECT(condition, a, b) ((condition) ? (a) : (b))
#define OF_C(x) ((float)(x))
#define OF_FRACTION 23
#include "simd.h"
#define OF_X double
#define OF_BITS uint64_t
#define OF_NAMED(name) of_##name##_f64
#define OF_FROM_BITS of_from_bits_f64
#define OF_TO_BITS of_bits_f64
#define OF_FUSED OF_FMA
#define OF_ABS fabs
#define OF_SIGNED copysign
#define OF_SELECT(condition, a, b) ((condition) ? (a) : (b))
#define OF_C(x) ((double)(x))
#define OF_FRACTION 52
#include "simd.h"
#define OF_X of_f32v
#define OF_BITS of_bits_f32v
#define OF_NAMED(name) of_##name##_f32v
#define OF_FROM_BITS(bits) ((of_f32v)(bits))
#define OF_TO_BITS(x) ((of_bits_f32v)(x))
#define OF_FUSED of_madd_f32v
#define OF_ABS of_abs_f32v
#define OF_SIGNED of_copysign_f32v
#define OF_SELECT of_select_f32v
#define OF_C(x) of_splat_f32v((float)(x))
#define OF_FRACTION 23
#include "simd.h"
#define OF_X of_f64v
#define OF_BITS of_bits_f64v
#define OF_NAMED(name) of_##name##_f64v
#define OF_FROM_BITS(bits) ((of_f64v)(bits))
#define OF_TO_BITS(x) ((of_bits_f64v)(x))
#define OF_FUSED of_madd_f64v
#define OF_ABS of_abs_f64v
#define OF_SIGNED of_copysign_f64v
#define OF_SELECT of_select_f64v
#define OF_C(x) of_splat_f64v(x)
#define OF_FRACTION 52
#include "simd.h"

#elif defined(OF_VECTOR)
/* ## Vectors of OF_T, with functions OF_V(name) */

OF_INLINE OF_VECTOR OF_V(load)(const OF_T* p) { return *(const OF_V(loose)*)p; }

OF_INLINE void OF_V(store)(OF_T* p, OF_VECTOR v) { *(OF_V(loose)*)p = v; }

/* Load the first n lanes, and 0 in the others; n may be negative or exceed the number of lanes. */
OF_INLINE OF_VECTOR OF_V(load_some)(const OF_T* p, int64_t n) {
    OF_VECTOR v = {0};
    if (n >= OF_LANES) return OF_V(load)(p);
#if defined(__AVX512F__)
    if (n > 0) v = (OF_VECTOR)OF_X86(maskz_loadu)((1u << n) - 1, p);
#else
    for (int lane = 0; lane < n; lane++) v[lane] = p[lane];
#endif
    return v;
}

/* Store the first n lanes; n may be negative or exceed the number of lanes. */
OF_INLINE void OF_V(store_some)(OF_T* p, OF_VECTOR v, int64_t n) {
    if (n >= OF_LANES) OF_V(store)(p, v);
#if defined(__AVX512F__)
    else if (n > 0) OF_X86(mask_storeu)(p, (1u << n) - 1, v);
#else
    else if (n > 0) memcpy(p, &v, (size_t)n * sizeof(OF_T));
#endif
}

/* x in all lanes. */
OF_INLINE OF_VECTOR OF_V(splat)(OF_T x) {
    const OF_VECTOR zero = {0};
    return x - zero;
}

/* a where the condition holds, and b elsewhere. */
OF_INLINE OF_VECTOR OF_V(select)(OF_V(mask) condition, OF_VECTOR a, OF_VECTOR b) {
    return (OF_VECTOR)((condition & (OF_V(mask))a) | (~condition & (OF_V(mask))b));
}

/* The larger one; b if either is NaN. */
OF_INLINE OF_VECTOR OF_V(max)(OF_VECTOR a, OF_VECTOR b) {
#ifdef OF_X86_f32v
    return (OF_VECTOR)OF_X86(max)(a, b);
#else
    return OF_V(select)(a > b, a, b);
#endif
}

/* a * b + c, rounded once if the hardware can. */
OF_INLINE OF_VECTOR OF_V(madd)(OF_VECTOR a, OF_VECTOR b, OF_VECTOR c) {
#ifdef OF_X86_f32v
    return (OF_VECTOR)OF_X86(fmadd)(a, b, c);
#else
    return a * b + c;
#endif
}

OF_INLINE OF_VECTOR OF_V(copysign)(OF_VECTOR x, OF_VECTOR sign) {
    OF_V(mask) bits = (OF_V(mask))OF_V(splat)((OF_T)-0.0);
    return (OF_VECTOR)((~bits & (OF_V(mask))x) | (bits & (OF_V(mask))sign));
}

OF_INLINE OF_VECTOR OF_V(abs)(OF_VECTOR x) {
    const OF_VECTOR zero = {0};
    return OF_V(copysign)(x, zero);
}

/* The lanes with the indices `which`, those of b after those of a. */
OF_INLINE OF_VECTOR OF_V(shuffle)(OF_VECTOR a, OF_VECTOR b, OF_V(mask) which) {
    return OF_SHUFFLE(OF_VECTOR, OF_LANES, a, b, which);
}

/* The sum of the lanes. */
OF_INLINE OF_T OF_V(sum)(OF_VECTOR v) {
#pragma GCC unroll 4
    for (int half = OF_LANES / 2; half > 0; half /= 2) {
        OF_V(mask) other;
#pragma GCC unroll 16
        for (int lane = 0; lane < OF_LANES; lane++) other[lane] = lane ^ half;
        v += OF_V(shuffle)(v, v, other);
    }
    return v[0];
}

/* Transpose a square, by exchanging blocks of half its size, then of a quarter, and so on. */
OF_INLINE void OF_V(transpose)(OF_VECTOR rows[OF_LANES]) {
#pragma GCC unroll 4
    for (int half = OF_LANES / 2; half > 0; half /= 2) {
        OF_V(mask) upper, lower;
#pragma GCC unroll 16
        for (int lane = 0; lane < OF_LANES; lane++) {
            upper[lane] = lane & half ? OF_LANES + lane - half : lane;
            lower[lane] = upper[lane] + half;
        }
#pragma GCC unroll 16
        for (int i = 0; i < OF_LANES; i++) {
            if (i & half) continue;
            OF_VECTOR a = rows[i], b = rows[i + half];
            rows[i] = OF_V(shuffle)(a, b, upper);
            rows[i + half] = OF_V(shuffle)(a, b, lower);
        }
    }
}

#undef OF_T
#undef OF_V
#undef OF_VECTOR
#undef OF_LANES
#undef OF_X86

#elif defined(OF_X)
/* ## Elementary functions of OF_X: a scalar or a vector
 *
 * Results are within 2 ulp for float32 and 3 for float64; NaN propagates, and infinities, zeros and subnormal results
 * need no special cases. The polynomials are least-squares fits, weighted to minimize the largest error. No two
 * conditions compare the same value: GCC would turn them into branches before it vectorizes, and then recognize
 * neither min nor max. */

/* OF_MAGIC is 1.5 * 2^OF_FRACTION: adding a number to it rounds it to an integer, which is left in the low bits.
 * exp(x) is inf from OF_EXP_END on, exp(-x) is 0 from OF_DECAY_END on, and tanh(x) 1 from OF_TANH_END on;
 * 2^-OF_ZERO_EXPONENT rounds to 0. */
#if OF_FRACTION == 23
#define OF_T float
#define OF_MAGIC 12582912
#define OF_BIAS 127
#define OF_EXP_END 89
#define OF_DECAY_END 104
#define OF_ZERO_EXPONENT 150
#define OF_TANH_END 10
#else
#define OF_T double
#define OF_MAGIC 6755399441055744
#define OF_BIAS 1023
#define OF_EXP_END 710
#define OF_DECAY_END 745.5
#define OF_ZERO_EXPONENT 1075
#define OF_TANH_END 22
#endif
#define OF_STEP(p, x, c) p = OF_FUSED(p, x, OF_C(c))

/* Return q in exp(x) = 2^n * (1 + q), n = round(x / ln 2). `magic` is OF_MAGIC plus an offset; the low bits of
 * `shifted` are n + offset. ln 2 is split into two parts, the first short enough for n * part to be exact. */
OF_INLINE OF_X OF_NAMED(exp_split)(OF_X x, OF_T magic, OF_X* shifted) {
    *shifted = OF_FUSED(x, OF_C(1.4426950408889634), OF_C(magic));
    OF_X n = *shifted - magic;
#if OF_FRACTION == 23
    OF_X r = OF_FUSED(n, OF_C(-0.693145752f), x);
    r = OF_FUSED(n, OF_C(-1.42860677e-6f), r);
    OF_X p = OF_C(0.001381452202790507773f);
    OF_STEP(p, r, 0.008368721627321488958f);
    OF_STEP(p, r, 0.04166838956871467183f);
    OF_STEP(p, r, 0.1666652057963904017f);
    OF_STEP(p, r, 0.4999999344089246388f);
#else
    OF_X r = OF_FUSED(n, OF_C(-6.93147180369123816490e-01), x);
    r = OF_FUSED(n, OF_C(-1.90821492927058770002e-10), r);
    OF_X p = OF_C(2.500028414224014703e-8);
    OF_STEP(p, r, 2.763026152262581106e-7);
    OF_STEP(p, r, 2.755758574697247149e-6);
    OF_STEP(p, r, 0.00002480149305917920698);
    OF_STEP(p, r, 0.0001984126950716181669);
    OF_STEP(p, r, 0.001388888894367181718);
    OF_STEP(p, r, 0.008333333333494272713);
    OF_STEP(p, r, 0.04166666666652998445);
    OF_STEP(p, r, 0.1666666666666641262);
    OF_STEP(p, r, 0.500000000000001065);
#endif
    return OF_FUSED(p * r, r, r);
}

/* 2^n is applied as two factors of half the exponent, so that subnormal results and overflow are right. */
OF_INLINE OF_X OF_NAMED(exp)(OF_X x) {
    const OF_T magic = (OF_T)OF_MAGIC + 2 * OF_BIAS;
    OF_X shifted, q = OF_NAMED(exp_split)(OF_SELECT(x > OF_C(OF_EXP_END), OF_C(OF_EXP_END), x), magic, &shifted);
    OF_BITS n = OF_TO_BITS(shifted), exponent = OF_TO_BITS(OF_C(INFINITY));
    OF_BITS first = (n << (OF_FRACTION - 1)) & exponent, second = (n << OF_FRACTION) - first;
    OF_X y = (OF_C(1) + q) * OF_FROM_BITS(first) * OF_FROM_BITS(second);
    return OF_SELECT(shifted < OF_C(magic - OF_ZERO_EXPONENT), OF_C(0), y);
}

/* 2^(x * scale) for x * scale <= 103, as in softmax. It takes less work than exp, because nothing overflows. Its
 * relative error grows with |x * scale| by the rounding error of `scale`. The fraction, at most 1/2, is exact with
 * FMA; the result is exactly 1 at 0. The polynomial is scaled by 2^-OF_LOWERED and 2^n by 2^OF_LOWERED, so that
 * subnormal results are right: programs take the logarithm of a softmax. */
#define OF_LOWERED (OF_FRACTION + 1)
#define OF_LOWER(c) ((c) / (OF_T)((int64_t)1 << OF_LOWERED))
OF_INLINE OF_X OF_NAMED(exp2_scaled)(OF_X x, OF_T scale) {
    const OF_T magic = (OF_T)OF_MAGIC + OF_BIAS + OF_LOWERED;
    OF_X shifted = OF_FUSED(x, OF_C(scale), OF_C(magic));
    OF_X f = OF_FUSED(x, OF_C(scale), -(shifted - magic));
#if OF_FRACTION == 23
    OF_X p = OF_C(OF_LOWER(1.3264697e-3f));
    OF_STEP(p, f, OF_LOWER(9.6715341e-3f));
    OF_STEP(p, f, OF_LOWER(5.5507340e-2f));
    OF_STEP(p, f, OF_LOWER(2.4022242e-1f));
    OF_STEP(p, f, OF_LOWER(6.9314698e-1f));
#else
    OF_X p = OF_C(OF_LOWER(1.3691488853904128e-12));
    OF_STEP(p, f, OF_LOWER(2.567843599348820e-11));
    OF_STEP(p, f, OF_LOWER(4.445538271870811e-10));
    OF_STEP(p, f, OF_LOWER(7.054911620801123e-09));
    OF_STEP(p, f, OF_LOWER(1.0178086009239699e-07));
    OF_STEP(p, f, OF_LOWER(1.3215486790144309e-06));
    OF_STEP(p, f, OF_LOWER(1.5252733804059841e-05));
    OF_STEP(p, f, OF_LOWER(1.5403530393381608e-04));
    OF_STEP(p, f, OF_LOWER(1.3333558146428443e-03));
    OF_STEP(p, f, OF_LOWER(9.6181291076284770e-03));
    OF_STEP(p, f, OF_LOWER(5.5504108664821580e-02));
    OF_STEP(p, f, OF_LOWER(2.4022650695910072e-01));
    OF_STEP(p, f, OF_LOWER(6.9314718055994531e-01));
#endif
    OF_STEP(p, f, OF_LOWER(1));
    OF_X power = OF_FROM_BITS(OF_TO_BITS(shifted) << OF_FRACTION);
    return OF_SELECT(shifted < OF_C(magic - OF_ZERO_EXPONENT), OF_C(0), p * power);
}
#undef OF_LOWER
#undef OF_LOWERED

/* exp(x) for -OF_DECAY_END <= x <= 0. 2^n is computed as 2^(n + 64) * 2^-64, so that subnormal results are right. */
OF_INLINE OF_X OF_NAMED(exp_fall)(OF_X x) {
    OF_X shifted, q = OF_NAMED(exp_split)(x, (OF_T)OF_MAGIC + OF_BIAS + 64, &shifted);
    return (OF_C(1) + q) * OF_FROM_BITS(OF_TO_BITS(shifted) << OF_FRACTION) * OF_C(5.42101086242752217e-20);
}

/* exp(-|x|) */
OF_INLINE OF_X OF_NAMED(exp_decay)(OF_X x) {
    OF_X u = OF_ABS(x), y = OF_NAMED(exp_fall)(-u);
    return OF_SELECT(u > OF_C(OF_DECAY_END), OF_C(0), y);
}

/* 1 / (1 + e) or e / (1 + e) with e = exp(-|x|): far below 0, the result is subnormal and not 0. */
OF_INLINE OF_X OF_NAMED(sigmoid)(OF_X x) {
    OF_X e = OF_NAMED(exp_decay)(x);
    return OF_SELECT(x < OF_C(0), e, OF_C(1)) / (OF_C(1) + e);
}

/* m / (m + 2) with m = exp(2 |x|) - 1, whose relative error is small also near 0. */
OF_INLINE OF_X OF_NAMED(tanh)(OF_X x) {
    OF_X shifted, u = OF_ABS(x), twice = OF_C(2) * OF_SELECT(u > OF_C(OF_TANH_END), OF_C(OF_TANH_END), u);
    OF_X q = OF_NAMED(exp_split)(twice, (OF_T)OF_MAGIC + OF_BIAS, &shifted);
    OF_X scale = OF_FROM_BITS(OF_TO_BITS(shifted) << OF_FRACTION);
    OF_X m = OF_FUSED(scale, q, scale - OF_C(1));
    return OF_SIGNED(m / (m + OF_C(2)), x);
}

#undef OF_X
#undef OF_BITS
#undef OF_NAMED
#undef OF_FROM_BITS
#undef OF_TO_BITS
#undef OF_FUSED
#undef OF_ABS
#undef OF_SIGNED
#undef OF_SELECT
#undef OF_C
#undef OF_FRACTION
#undef OF_T
#undef OF_MAGIC
#undef OF_BIAS
#undef OF_EXP_END
#undef OF_DECAY_END
#undef OF_ZERO_EXPONENT
#undef OF_TANH_END
#undef OF_STEP
#endif
