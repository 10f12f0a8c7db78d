/* Transposition of matrix blocks by element size, and the table that each instruction set fills.
 *
 * A block is processed in square tiles, whose rows fill a vector register. Interleaving the first half of a tile's
 * rows with the second half, log2(rows) times, transposes it. Tiles at the far edges overlap the tiles before them;
 * blocks narrower than a tile use smaller tiles. */
#ifndef OPFORGE_TRANSPOSE_H
#define OPFORGE_TRANSPOSE_H

#include <stddef.h>

#include "opforge/simd.h"

/* dst[i * dst_step + j] = src[j * src_step + i] for i < rows and j < cols; steps count elements. */
typedef void (*opforge_transpose_fn)(const void *src, ptrdiff_t src_step, void *dst,
                                     ptrdiff_t dst_step, ptrdiff_t rows, ptrdiff_t cols);

typedef struct {
    opforge_transpose_fn transpose[4]; /* for elements of 1, 2, 4 and 8 bytes */
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

/* Tiles of EDGE vectors, interleaved by shuffles: for blocks narrower than a tile, SMALLER transposes them. */
#define OF_TRANSPOSE_TILES(NAME, BITS, EDGE, SMALLER)                                             \
    typedef uint##BITS##_t of_row_##NAME __attribute__((vector_size(EDGE * BITS / 8)));           \
    OF_INLINE of_row_##NAME of_mix_##NAME(of_row_##NAME a, of_row_##NAME b, const int from) {     \
        of_row_##NAME which;                                                                      \
        _Pragma("GCC unroll 16")                                                                  \
        for (int i = 0; i < EDGE; i++) which[i] = (uint##BITS##_t)(from + i / 2 + i % 2 * EDGE);  \
        return OF_SHUFFLE(of_row_##NAME, EDGE, a, b, which);                                      \
    }                                                                                             \
    static inline void of_tile_##NAME(const uint##BITS##_t *x, ptrdiff_t src_step,                \
                                      uint##BITS##_t *y, ptrdiff_t dst_step) {                    \
        of_row_##NAME a[EDGE], b[EDGE];                                                           \
        _Pragma("GCC unroll 16")                                                                  \
        for (int k = 0; k < EDGE; k++) memcpy(a + k, x + k * src_step, sizeof *a);                \
        _Pragma("GCC unroll 16")                                                                  \
        for (int stage = 1; stage < EDGE; stage *= 2) {                                           \
            _Pragma("GCC unroll 16")                                                              \
            for (int k = 0; k < EDGE; k++) {                                                      \
                b[k] = of_mix_##NAME(a[k / 2], a[k / 2 + EDGE / 2], k % 2 * EDGE / 2);            \
            }                                                                                     \
            _Pragma("GCC unroll 16")                                                              \
            for (int k = 0; k < EDGE; k++) a[k] = b[k];                                           \
        }                                                                                         \
        _Pragma("GCC unroll 16")                                                                  \
        for (int k = 0; k < EDGE; k++) memcpy(y + k * dst_step, a + k, sizeof *a);                \
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

OF_TRANSPOSE_TILES(8, 8, 16, of_transpose_single_8)
OF_TRANSPOSE_TILES(16, 16, 8, of_transpose_single_16)
#if OF_VECTOR_BYTES == 16
OF_TRANSPOSE_TILES(32, 32, 4, of_transpose_single_32)
OF_TRANSPOSE_TILES(64, 64, 2, of_transpose_single_64)
#else
OF_TRANSPOSE_TILES(narrow_32, 32, 4, of_transpose_single_32)
OF_TRANSPOSE_TILES(narrow_64, 64, 2, of_transpose_single_64)
#if OF_VECTOR_BYTES == 32
OF_TRANSPOSE_TILES(32, 32, 8, of_transpose_narrow_32)
OF_TRANSPOSE_TILES(64, 64, 4, of_transpose_narrow_64)
#else /* rows of a tile are cache lines, so that no line is read twice */
OF_TRANSPOSE_TILES(half_32, 32, 8, of_transpose_narrow_32)
OF_TRANSPOSE_TILES(half_64, 64, 4, of_transpose_narrow_64)
OF_TRANSPOSE_TILES(32, 32, 16, of_transpose_half_32)
OF_TRANSPOSE_TILES(64, 64, 8, of_transpose_half_64)
#endif
#endif

/* Like of_transpose_32, but with a few rows of the source at a time: rows a power of two apart share sets of the L1
 * cache, which hold eight to twelve lines. */
static inline void of_transpose_bands_32(OF_TRANSPOSE_ARGUMENTS) {
    enum { BAND = OF_VECTOR_BYTES / 4 };
    const uint32_t *x = src;
    uint32_t *y = dst;
    for (ptrdiff_t j = 0; j < cols; j += BAND)
        of_transpose_32(x + j * src_step, src_step, y + j, dst_step, rows, cols - j < BAND ? cols - j : BAND);
}

#endif
