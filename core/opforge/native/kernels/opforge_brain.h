/* Matrix products of bfloat16 by the instruction that multiplies pairs: out[i, j] = a[i] . b[:, j] + bias[j] (+ out[i, j]).
 *
 * Two adjacent elements of a row of `a` are a lane, so that rows have an even number of elements. Sums are float32 and
 * rounded once. The instruction takes subnormal elements for zero. A few rows are multiplied as in opforge_dots.h, more
 * as in opforge_panels.h. */
#ifndef OPFORGE_BRAIN_H
#define OPFORGE_BRAIN_H

#include "opforge/brain.h"
#include "opforge_dots.h"
#include "opforge_transpose.h"

/* Element (x, j) of `b` is b[j * ldb + x] if it is transposed, else b[x * ldb + j]. */
typedef void (*opforge_brain_fn)(const uint16_t *a, ptrdiff_t lda, const uint16_t *b, ptrdiff_t ldb, int transposed,
                                 const uint16_t *bias, uint16_t *out, ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t n,
                                 ptrdiff_t k, int add);

#ifdef OF_BRAIN_PRODUCTS

enum { OF_BRAIN_ROWS = 256 }; /* whose sums with a panel, 64 KB, stay in the L2 cache */

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
        of_transpose_bands_32(b, ldb / 2, panel, OF_BRAIN_COLUMNS, pairs, columns);
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

/* Fetch the panel that begins at column j and ends before pair `end`, if there is one. */
static inline of_fetch of_fetch_brains(const uint16_t *b, ptrdiff_t ldb, int transposed, ptrdiff_t j, ptrdiff_t n,
                                       ptrdiff_t x, ptrdiff_t end, ptrdiff_t times) {
    const ptrdiff_t columns = j >= n ? 0 : n - j < OF_BRAIN_COLUMNS ? n - j : OF_BRAIN_COLUMNS, rows = 2 * (end - x);
    if (transposed) return of_fetch_rows(b + (columns ? j * ldb + 2 * x : 0), ldb * 2, columns, rows * 2, times);
    return of_fetch_rows(b + (columns ? 2 * x * ldb + j : 0), ldb * 2, columns ? rows : 0, columns * 2, times);
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
            const int is_last = slice == slices - 1;
            const ptrdiff_t times = of_brain_fetches(OF_BRAIN_VECTORS, end - x, m);
            of_fetch fetch = of_fetch_brains(b, ldb, transposed, is_last ? j + OF_BRAIN_COLUMNS : j, n, is_last ? 0 : end,
                                             of_tile_begin(k / 2, slices, is_last ? 1 : slice + 2), times);
            of_fill_brain_panel(panel, from, ldb, transposed, end - x, columns);
            of_brain_rows(OF_BRAIN_VECTORS, a + 2 * x, lda, panel, end - x, sums, m, &fetch);
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
#define opforge_brain_dots NULL
#define opforge_brain_panels NULL
#endif

#endif
