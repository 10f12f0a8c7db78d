/* Vectors of 32-bit sums: products of groups of four bytes, and conversions of sums to bytes. */
#ifndef OPFORGE_QUANTIZATION_BYTE_VECTORS_H
#define OPFORGE_QUANTIZATION_BYTE_VECTORS_H

#include <stdint.h>
#include <string.h>

#include "opforge/simd.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { LANES = OF_LANES_f32v, GROUP = 4 /* bytes of a lane */ };

typedef int32_t i32v __attribute__((vector_size(OF_VECTOR_BYTES)));
typedef int32_t loose_i32v __attribute__((vector_size(OF_VECTOR_BYTES), aligned(1), may_alias));
typedef int16_t i16v __attribute__((vector_size(OF_VECTOR_BYTES)));
typedef int32_t loose_i32 __attribute__((aligned(1), may_alias));
typedef int8_t lane_bytes __attribute__((vector_size(OF_LANES_f32v)));
typedef uint8_t unsigned_lane_bytes __attribute__((vector_size(OF_LANES_f32v)));

OF_INLINE i32v load_i32v(const void* p) { return *(const loose_i32v*)p; }

OF_INLINE i32v splat_i32v(int32_t x) {
    const i32v zero = {0};
    return x - zero;
}

/* Whether one instruction multiplies four bytes and adds the products (VNNI). */
OF_INLINE int has_byte_dots(void) {
#if defined(__AVX512F__)
    return __builtin_cpu_supports("avx512vnni");
#else
    return 0;
#endif
}

/* Add the products of adjacent 16-bit numbers. */
OF_INLINE i32v add_pairs(i32v sums, i16v a, i16v b) {
#if defined(__AVX512BW__)
    return sums + (i32v)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return sums + (i32v)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return sums + (i32v)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    return sums + (((i32v)a << 16) >> 16) * (((i32v)b << 16) >> 16) + ((i32v)a >> 16) * ((i32v)b >> 16);
#endif
}

/* Add to each lane the products of the four unsigned bytes of `a` with the signed bytes of `b`, exactly: instructions
 * that add pairs of these products in 16 bits saturate. `dots` says whether the processor has byte dots. */
OF_INLINE i32v add_byte_dots(const int dots, i32v sums, i32v a, i32v b) {
#if defined(__AVX512F__)
    if (dots) { /* as an intrinsic, it makes GCC 12 copy and spill sums: half as fast */
        __asm__("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(a), "v"(b));
        return sums;
    }
#endif
    const i16v even_a = (i16v)(a & splat_i32v(0x00ff00ff)), odd_a = (i16v)(((i32v)a >> 8) & splat_i32v(0x00ff00ff));
    const i16v even_b = ((i16v)b << 8) >> 8, odd_b = (i16v)b >> 8;
    return add_pairs(add_pairs(sums, even_a, even_b), odd_a, odd_b);
}

/* Sum the lanes of each of four vectors, exactly. */
OF_INLINE void sums_of_lanes(const i32v v[4], int32_t totals[4]) {
#if defined(__AVX2__)
    __m256i half[4];
    for (int i = 0; i < 4; i++) {
#if defined(__AVX512F__)
        half[i] = _mm256_add_epi32(_mm512_castsi512_si256((__m512i)v[i]), _mm512_extracti64x4_epi64((__m512i)v[i], 1));
#else
        half[i] = (__m256i)v[i];
#endif
    }
    const __m256i sums = _mm256_hadd_epi32(_mm256_hadd_epi32(half[0], half[1]), _mm256_hadd_epi32(half[2], half[3]));
    _mm_storeu_si128((__m128i*)totals, _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1)));
#else
    for (int i = 0; i < 4; i++) {
        totals[i] = 0;
        for (int lane = 0; lane < LANES; lane++) totals[i] += v[i][lane];
    }
#endif
}

OF_INLINE of_f32v floats_of(i32v x) { return __builtin_convertvector(x, of_f32v); }

/* Round to the nearest integers, halves to the even ones, of which the least is `low` or more, and the largest 127 if
 * bytes are signed, else 255. */
OF_INLINE i32v round_to_bytes(of_f32v x, float low, int is_signed) {
    const of_f32v high = of_splat_f32v(is_signed ? 127 : 255);
    x = of_max_f32v(x, of_splat_f32v(low));
#if defined(__AVX512F__)
    return (i32v)_mm512_cvtps_epi32(_mm512_min_ps((__m512)x, (__m512)high));
#elif defined(__AVX2__)
    return (i32v)_mm256_cvtps_epi32(_mm256_min_ps((__m256)x, (__m256)high));
#else
    const of_f32v magic = of_splat_f32v(12582912.0f);
    return (i32v)(of_select_f32v(x < high, x, high) + magic) - (i32v)magic;
#endif
}

/* Store the lowest bytes of the first n lanes. */
OF_INLINE void store_bytes(void* p, i32v x, int64_t n) {
#if defined(__AVX512BW__)
    const __m128i bytes = _mm512_cvtepi32_epi8((__m512i)x);
    if (n >= LANES) _mm_storeu_si128((__m128i*)p, bytes);
    else if (n > 0) _mm_mask_storeu_epi8(p, (__mmask16)((1u << n) - 1), bytes);
#else
    const lane_bytes bytes = __builtin_convertvector(x, lane_bytes);
    if (n >= LANES) memcpy(p, &bytes, LANES);
    else if (n > 0) memcpy(p, &bytes, (size_t)n);
#endif
}

/* The first n of some bytes, which are signed or not, and 0 in the other lanes. */
OF_INLINE i32v load_bytes(const void* p, int is_signed, int64_t n) {
    lane_bytes bytes = {0};
    memcpy(&bytes, p, n >= LANES ? LANES : (size_t)n);
    if (is_signed) return __builtin_convertvector(bytes, i32v);
    return __builtin_convertvector((unsigned_lane_bytes)bytes, i32v);
}

#endif
