/* Transposed pieces of matrices, by element size, and the table that each instruction set fills.
 *
 * Tiles go through vector registers. A tile is a square whose rows fill a vector; mixing the first half
 * of its rows with the second, as often as a row's number has bits, transposes it. Tiles at the far edges
 * overlap those before them; pieces that are narrower than a tile go through smaller ones. */
#ifndef OPFORGE_TRANSPOSE_H
#define OPFORGE_TRANSPOSE_H

#include <stddef.h>
#include <stdint.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

/* dst[i * dst_step + j] = src[j * src_step + i] for i < rows and j < cols; steps count elements. */
typedef void (*opforge_transpose_fn)(const void *src, ptrdiff_t src_step, void *dst,
                                     ptrdiff_t dst_step, ptrdiff_t rows, ptrdiff_t cols);

typedef struct {
    opforge_transpose_fn transpose[4]; /* of elements of 1, 2, 4 and 8 bytes */
} opforge_transpose_table;

#define OF_TRANSPOSE_ARGUMENTS                                                                    \
    const void *src, ptrdiff_t src_step, void *dst, ptrdiff_t dst_step, ptrdiff_t rows,           \
        ptrdiff_t cols

#define OF_TRANSPOSE_SINGLE(BITS)                                                                 \
    static inline void of_transpose_single_##BITS(OF_TRANSPOSE_ARGUMENTS) {                       \
        const uint##BITS##_t *x = src;                                                            \
        uint##BITS##_t *y = dst;                                                                  \
        for (ptrdiff_t i = 0; i < rows; i++)                                                      \
            for (ptrdiff_t j = 0; j < cols; j++) y[i * dst_step + j] = x[j * src_step + i];       \
    }

OF_TRANSPOSE_SINGLE(8)
OF_TRANSPOSE_SINGLE(16)
OF_TRANSPOSE_SINGLE(32)
OF_TRANSPOSE_SINGLE(64)

/* Tiles of EDGE vectors; MIX(a, b, low, high) takes elements of a and b in turn. */
#define OF_TRANSPOSE_TILES(NAME, BITS, EDGE, VECTOR, LOAD, STORE, MIX, SMALLER)                   \
    static inline void of_tile_##NAME(const uint##BITS##_t *x, ptrdiff_t src_step,                \
                                      uint##BITS##_t *y, ptrdiff_t dst_step) {                    \
        VECTOR a[EDGE], b[EDGE];                                                                  \
        for (int k = 0; k < EDGE; k++) a[k] = LOAD((const VECTOR *)(x + k * src_step));           \
        for (int stage = 1; stage < EDGE; stage *= 2) {                                           \
            for (int k = 0; k < EDGE / 2; k++) MIX(a[k], a[k + EDGE / 2], b + 2 * k, b + 2 * k + 1); \
            for (int k = 0; k < EDGE; k++) a[k] = b[k];                                           \
        }                                                                                         \
        for (int k = 0; k < EDGE; k++) STORE((VECTOR *)(y + k * dst_step), a[k]);                 \
    }                                                                                             \
    static inline void of_transpose_##NAME(OF_TRANSPOSE_ARGUMENTS) {                              \
        const uint##BITS##_t *x = src;                                                            \
        uint##BITS##_t *y = dst;                                                                  \
        if (rows < EDGE || cols < EDGE) {                                                         \
            SMALLER(src, src_step, dst, dst_step, rows, cols);                                    \
            return;                                                                               \
        }                                                                                         \
        for (ptrdiff_t row = 0; row < rows; row += EDGE) {                                        \
            ptrdiff_t i = row + EDGE <= rows ? row : rows - EDGE;                                 \
            for (ptrdiff_t col = 0; col < cols; col += EDGE) {                                    \
                ptrdiff_t j = col + EDGE <= cols ? col : cols - EDGE;                             \
                of_tile_##NAME(x + j * src_step + i, src_step, y + i * dst_step + j, dst_step);   \
            }                                                                                     \
        }                                                                                         \
    }

#ifdef __SSE2__
#define OF_MIX_NARROW(BITS)                                                                       \
    static inline void of_mix_narrow_##BITS(__m128i a, __m128i b, __m128i *low, __m128i *high) {  \
        *low = _mm_unpacklo_epi##BITS(a, b);                                                      \
        *high = _mm_unpackhi_epi##BITS(a, b);                                                     \
    }
#define OF_TRANSPOSE_NARROW(BITS, EDGE)                                                           \
    OF_MIX_NARROW(BITS)                                                                           \
    OF_TRANSPOSE_TILES(narrow_##BITS, BITS, EDGE, __m128i, _mm_loadu_si128, _mm_storeu_si128,     \
                       of_mix_narrow_##BITS, of_transpose_single_##BITS)

OF_TRANSPOSE_NARROW(8, 16)
OF_TRANSPOSE_NARROW(16, 8)
OF_TRANSPOSE_NARROW(32, 4)
OF_TRANSPOSE_NARROW(64, 2)
#define of_transpose_8 of_transpose_narrow_8
#define of_transpose_16 of_transpose_narrow_16
#else
#define of_transpose_8 of_transpose_single_8
#define of_transpose_16 of_transpose_single_16
#define of_transpose_narrow_32 of_transpose_single_32
#define of_transpose_narrow_64 of_transpose_single_64
#endif

#ifdef __AVX2__
#ifdef __AVX512VL__
static inline void of_mix_wide_32(__m256i a, __m256i b, __m256i *low, __m256i *high) {
    *low = _mm256_permutex2var_epi32(a, _mm256_setr_epi32(0, 8, 1, 9, 2, 10, 3, 11), b);
    *high = _mm256_permutex2var_epi32(a, _mm256_setr_epi32(4, 12, 5, 13, 6, 14, 7, 15), b);
}
static inline void of_mix_wide_64(__m256i a, __m256i b, __m256i *low, __m256i *high) {
    *low = _mm256_permutex2var_epi64(a, _mm256_setr_epi64x(0, 4, 1, 5), b);
    *high = _mm256_permutex2var_epi64(a, _mm256_setr_epi64x(2, 6, 3, 7), b);
}
#else
/* Halves of a vector are mixed apart, then sorted. */
#define OF_MIX_WIDE(BITS)                                                                         \
    static inline void of_mix_wide_##BITS(__m256i a, __m256i b, __m256i *low, __m256i *high) {    \
        __m256i first = _mm256_unpacklo_epi##BITS(a, b), second = _mm256_unpackhi_epi##BITS(a, b); \
        *low = _mm256_permute2x128_si256(first, second, 0x20);                                    \
        *high = _mm256_permute2x128_si256(first, second, 0x31);                                   \
    }
OF_MIX_WIDE(32)
OF_MIX_WIDE(64)
#endif
#define OF_TRANSPOSE_WIDE(BITS, EDGE)                                                             \
    OF_TRANSPOSE_TILES(wide_##BITS, BITS, EDGE, __m256i, _mm256_loadu_si256, _mm256_storeu_si256, \
                       of_mix_wide_##BITS, of_transpose_narrow_##BITS)

OF_TRANSPOSE_WIDE(32, 8)
OF_TRANSPOSE_WIDE(64, 4)
#define of_transpose_32 of_transpose_wide_32
#define of_transpose_64 of_transpose_wide_64
#else
#define of_transpose_32 of_transpose_narrow_32
#define of_transpose_64 of_transpose_narrow_64
#endif

#endif
