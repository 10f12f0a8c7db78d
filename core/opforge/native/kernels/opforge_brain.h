/* Matrix products of bfloat16 by the instruction that multiplies pairs: out[i, j] = a[i] . b[:, j] + bias[j] (+ out[i, j]).
 *
 * Two adjacent elements of a row of `a` are a lane, so that rows have an even number of elements. Sums are float32 and
 * rounded once. The instruction takes subnormal elements for zero. A few rows are multiplied as in opforge_dots.h, more
 * as in opforge_panels.h. */
#ifndef OPFORGE_BRAIN_H
#define OPFORGE_BRAIN_H

#include "opforge_convert.h"
#include "opforge_dots.h"
#include "opforge_transpose.h"

/* Element (x, j) of `b` is b[j * ldb + x] if it is transposed, else b[x * ldb + j]. */
typedef void (*opforge_brain_fn)(const uint16_t *a, ptrdiff_t lda, const uint16_t *b, ptrdiff_t ldb, int transposed,
                                 const uint16_t *bias, uint16_t *out, ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t n,
                                 ptrdiff_t k, int add);

#if defined(__AVX512BW__) && defined(__x86_64__)

/* Return whether the processor has the instruction. */
static int opforge_has_brain_products(void) { return __builtin_cpu_supports("avx512bf16") != 0; }

enum {
    OF_BRAIN_VECTORS = 4, /* of a panel */
    OF_BRAIN_COLUMNS = OF_BRAIN_VECTORS * OF_LANES_f32v,
    OF_BRAIN_DEPTH = 128, /* pairs of a panel: 32 KB */
    OF_BRAIN_ROWS = 256,  /* whose sums with a panel, 64 KB, stay in the L2 cache */
};

typedef float of_pairs __attribute__((vector_size(OF_VECTOR_BYTES), aligned(2), may_alias));
typedef float of_pair __attribute__((aligned(2), may_alias));

OF_INLINE of_f32v of_load_pairs(const uint16_t *p, ptrdiff_t pairs) {
    if (pairs >= OF_LANES_f32v) return *(const of_pairs *)p;
    return (of_f32v)_mm512_maskz_loadu_epi16((1u << 2 * pairs) - 1, p);
}

OF_INLINE of_f32v of_add_pairs(of_f32v sums, of_f32v a, of_f32v b) {
    __asm__("vdpbf16ps %2, %1, %0" : "+v"(sums) : "v"(a), "v"(b)); /* older compilers lack the intrinsic */
    return sums;
}

/* Add the bias and, with `add`, the former results to the first `n` sums of a row, and store them rounded. */
OF_INLINE void of_store_brains(const float *sums, const uint16_t *bias, uint16_t *out, ptrdiff_t n, int add) {
    for (ptrdiff_t j = 0; j < n; j++) {
        float total = sums[j];
        if (bias != NULL) total += of_brain_to_float(bias[j]);
        if (add) total += of_brain_to_float(out[j]);
        out[j] = of_float_to_brain(total);
    }
}

/* -- a few rows ---------------------------------------------------------------------------------------------------- */

/* Multiply `rows` rows of a by `cols` (1 or OF_DOTS_B) rows of b; both are constants after inlining. */
OF_INLINE void of_brain_dots_tile(const uint16_t *a, ptrdiff_t lda, const uint16_t *b, ptrdiff_t ldb,
                                  const uint16_t *bias, uint16_t *out, ptrdiff_t ldc, ptrdiff_t pairs, int add,
                                  const int rows, const int cols) {
    of_f32v sums[OF_TILE_SUMS] = {{0}};
    if (rows > OF_TILE_ROWS(OF_DOTS_B)) return;
    for (ptrdiff_t x = 0; x < pairs; x += OF_LANES_f32v) {
        of_f32v left[OF_TILE_SUMS];
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++) left[i] = of_load_pairs(a + i * lda + 2 * x, pairs - x);
#pragma GCC unroll 4
        for (int j = 0; j < cols; j++) {
            const of_f32v right = of_load_pairs(b + j * ldb + 2 * x, pairs - x);
#pragma GCC unroll 16
            for (int i = 0; i < rows; i++) sums[i * cols + j] = of_add_pairs(sums[i * cols + j], left[i], right);
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
        float totals[OF_DOTS_B];
        of_f32v lanes[OF_DOTS_B] = {{0}};
        for (int j = 0; j < cols; j++) lanes[j] = sums[i * cols + j];
        of_sums_f32v(lanes, totals);
        of_store_brains(totals, bias, out + i * ldc, cols, add);
    }
}

OF_INLINE void of_brain_dots_columns(const uint16_t *a, ptrdiff_t lda, const uint16_t *b, ptrdiff_t ldb,
                                     const uint16_t *bias, uint16_t *out, ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t pairs,
                                     int add, const int cols) {
    const ptrdiff_t tiles = of_tile_count(m, OF_DOTS_B);
    for (ptrdiff_t tile = 0; tile < tiles; tile++) {
        const ptrdiff_t rows = of_tile_begin(m, tiles, tile + 1) - of_tile_begin(m, tiles, tile);
#define OF_CASE(ROWS) case ROWS: of_brain_dots_tile(a, lda, b, ldb, bias, out, ldc, pairs, add, ROWS, cols); break;
        switch (rows) { OF_EACH_TILE(OF_CASE) }
#undef OF_CASE
        a += rows * lda;
        out += rows * ldc;
    }
}

/* Multiply rows by rows: `b` is transposed. */
static void opforge_brain_dots(const uint16_t *a, ptrdiff_t lda, const uint16_t *b, ptrdiff_t ldb, int transposed,
                               const uint16_t *bias, uint16_t *out, ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t n,
                               ptrdiff_t k, int add) {
    ptrdiff_t j = 0;
    (void)transposed;
    for (; j + OF_DOTS_B <= n; j += OF_DOTS_B) {
        of_brain_dots_columns(a, lda, b + j * ldb, ldb, bias == NULL ? NULL : bias + j, out + j, ldc, m, k / 2, add,
                              OF_DOTS_B);
    }
    for (; j < n; j++) {
        of_brain_dots_columns(a, lda, b + j * ldb, ldb, bias == NULL ? NULL : bias + j, out + j, ldc, m, k / 2, add, 1);
    }
}

/* -- panels -------------------------------------------------------------------------------------------------------- */

/* Fill a panel, of which a row has a pair of each column. */
static inline void of_fill_brain_panel(uint16_t *panel, const uint16_t *b, ptrdiff_t ldb, int transposed,
                                       ptrdiff_t pairs, ptrdiff_t columns) {
    if (columns < OF_BRAIN_COLUMNS) memset(panel, 0, pairs * OF_BRAIN_COLUMNS * 4);
    if (transposed) {
        of_transpose_32(b, ldb / 2, panel, OF_BRAIN_COLUMNS, pairs, columns);
        return;
    }
    for (ptrdiff_t x = 0; x < pairs; x++, panel += 2 * OF_BRAIN_COLUMNS) {
        const uint16_t *first = b + 2 * x * ldb, *second = first + ldb;
        for (ptrdiff_t j = 0; j < columns; j++) {
            panel[2 * j] = first[j];
            panel[2 * j + 1] = second[j];
        }
    }
}

/* Add the products of `rows` rows of a with a panel to sums of float32; `rows` is a constant after inlining. */
OF_INLINE void of_brain_tile(const uint16_t *a, ptrdiff_t lda, const uint16_t *panel, ptrdiff_t pairs, float *sums,
                             const int rows) {
    of_f32v totals[OF_TILE_SUMS];
    if (rows > OF_TILE_ROWS(OF_BRAIN_VECTORS)) return;
#pragma GCC unroll 28
    for (int s = 0; s < rows * OF_BRAIN_VECTORS; s++) totals[s] = of_load_f32v(sums + s * OF_LANES_f32v);
    for (ptrdiff_t x = 0; x < pairs; x++, a += 2, panel += 2 * OF_BRAIN_COLUMNS) {
        of_f32v right[OF_BRAIN_VECTORS];
#pragma GCC unroll 4
        for (int v = 0; v < OF_BRAIN_VECTORS; v++) right[v] = *(const of_pairs *)(panel + v * 2 * OF_LANES_f32v);
#pragma GCC unroll 6
        for (int i = 0; i < rows; i++) {
            const of_f32v left = of_splat_f32v(*(const of_pair *)(a + i * lda));
#pragma GCC unroll 4
            for (int v = 0; v < OF_BRAIN_VECTORS; v++) {
                totals[i * OF_BRAIN_VECTORS + v] = of_add_pairs(totals[i * OF_BRAIN_VECTORS + v], left, right[v]);
            }
        }
    }
#pragma GCC unroll 28
    for (int s = 0; s < rows * OF_BRAIN_VECTORS; s++) of_store_f32v(sums + s * OF_LANES_f32v, totals[s]);
}

OF_NOINLINE void of_brain_rows(const uint16_t *a, ptrdiff_t lda, const uint16_t *panel, ptrdiff_t pairs, float *sums,
                               ptrdiff_t m) {
    const ptrdiff_t tiles = of_tile_count(m, OF_BRAIN_VECTORS);
    for (ptrdiff_t tile = 0; tile < tiles; tile++) {
        const ptrdiff_t rows = of_tile_begin(m, tiles, tile + 1) - of_tile_begin(m, tiles, tile);
#define OF_CASE(ROWS) case ROWS: of_brain_tile(a, lda, panel, pairs, sums, ROWS); break;
        switch (rows) { OF_EACH_TILE(OF_CASE) }
#undef OF_CASE
        a += rows * lda;
        sums += rows * OF_BRAIN_COLUMNS;
    }
}

/* Multiply up to OF_BRAIN_ROWS rows of `a`. */
static void of_brain_block(const uint16_t *a, ptrdiff_t lda, const uint16_t *b, ptrdiff_t ldb, int transposed,
                           const uint16_t *bias, uint16_t *out, ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k,
                           int add) {
    uint16_t panel[2 * OF_BRAIN_DEPTH * OF_BRAIN_COLUMNS] __attribute__((aligned(64)));
    float sums[OF_BRAIN_ROWS * OF_BRAIN_COLUMNS] __attribute__((aligned(64)));
    const ptrdiff_t slices = (k / 2 + OF_BRAIN_DEPTH - 1) / OF_BRAIN_DEPTH;
    for (ptrdiff_t j = 0; j < n; j += OF_BRAIN_COLUMNS) {
        const ptrdiff_t columns = n - j < OF_BRAIN_COLUMNS ? n - j : OF_BRAIN_COLUMNS;
        memset(sums, 0, m * OF_BRAIN_COLUMNS * sizeof *sums);
        for (ptrdiff_t slice = 0; slice < slices; slice++) {
            const ptrdiff_t x = of_tile_begin(k / 2, slices, slice), end = of_tile_begin(k / 2, slices, slice + 1);
            const uint16_t *from = transposed ? b + j * ldb + 2 * x : b + 2 * x * ldb + j;
            of_fill_brain_panel(panel, from, ldb, transposed, end - x, columns);
            of_brain_rows(a + 2 * x, lda, panel, end - x, sums, m);
        }
        for (ptrdiff_t i = 0; i < m; i++) {
            of_store_brains(sums + i * OF_BRAIN_COLUMNS, bias == NULL ? NULL : bias + j, out + i * ldc + j, columns,
                            add);
        }
    }
}

static void opforge_brain_panels(const uint16_t *a, ptrdiff_t lda, const uint16_t *b, ptrdiff_t ldb, int transposed,
                                 const uint16_t *bias, uint16_t *out, ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t n,
                                 ptrdiff_t k, int add) {
    const ptrdiff_t blocks = (m + OF_BRAIN_ROWS - 1) / OF_BRAIN_ROWS;
    for (ptrdiff_t block = 0; block < blocks; block++) {
        const ptrdiff_t i = of_tile_begin(m, blocks, block), rows = of_tile_begin(m, blocks, block + 1) - i;
        of_brain_block(a + i * lda, lda, b, ldb, transposed, bias, out + i * ldc, ldc, rows, n, k, add);
    }
}

#else
static int opforge_has_brain_products(void) { return 0; }
#define opforge_brain_dots NULL
#define opforge_brain_panels NULL
#endif

#endif
