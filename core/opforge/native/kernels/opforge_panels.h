/* Matrix products with some dozens of rows: out[i, j] = a[i] . b[:, j] + bias[j] (+ out[i, j]).
 *
 * BLAS packs a large `b` first, which adds half of the time of the multiplication with some dozens of rows. Here a
 * panel of `b`, padded to full vectors, stays in the L1 and L2 caches while it is multiplied with all rows of `a`,
 * and the next panel reuses its memory. The sums of a tile of rows and columns stay in registers: with only 16, this is
 * no faster than BLAS. */
#ifndef OPFORGE_PANELS_H
#define OPFORGE_PANELS_H

#include "opforge_product.h"
#include "opforge_transpose.h"

/* Element (x, j) of `b` is b[j * ldb + x] if it is transposed, else b[x * ldb + j]. */
typedef void (*opforge_some_rows_fn)(const float *a, ptrdiff_t lda, const float *b, ptrdiff_t ldb, int transposed,
                                     const float *bias, float *out, ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t n,
                                     ptrdiff_t k, int add);

typedef struct {
    opforge_few_rows_fn few_rows;
    opforge_some_rows_fn some_rows;
} opforge_product_table;

#if OF_REGISTERS < 32
#define opforge_some_rows NULL
#else

enum {
    OF_PANEL_VECTORS = 4,
    OF_PANEL_COLUMNS = OF_PANEL_VECTORS * OF_LANES_f32v,
    OF_PANEL_DEPTH = 128, /* with AVX-512 32 KB, on the stack */
};

static inline void of_fill_panel(float *panel, const float *b, ptrdiff_t ldb, int transposed, ptrdiff_t depth,
                                 ptrdiff_t columns) {
    if (columns < OF_PANEL_COLUMNS) memset(panel, 0, depth * OF_PANEL_COLUMNS * sizeof(float));
    if (transposed) {
        of_transpose_32(b, ldb, panel, OF_PANEL_COLUMNS, depth, columns);
        return;
    }
    for (ptrdiff_t x = 0; x < depth; x++) memcpy(panel + x * OF_PANEL_COLUMNS, b + x * ldb, columns * sizeof(float));
}

/* Multiply `rows` rows of a, a constant after inlining, by a panel. */
OF_INLINE void of_panel_tile(const float *a, ptrdiff_t lda, const float *panel, const float *bias, float *out,
                             ptrdiff_t ldc, ptrdiff_t depth, ptrdiff_t columns, int add, const int rows) {
    of_f32v sums[OF_TILE_SUMS] = {{0}};
    if (rows > OF_TILE_ROWS(OF_PANEL_VECTORS)) return;
    of_add_products_f32v(rows, OF_PANEL_VECTORS, depth, a, lda, 1, panel, OF_PANEL_COLUMNS, OF_LANES_f32v, sums);
#pragma GCC unroll 6
    for (int i = 0; i < rows; i++, out += ldc) {
#pragma GCC unroll 4
        for (int v = 0; v < OF_PANEL_VECTORS; v++) {
            const ptrdiff_t j = v * OF_LANES_f32v, count = columns - j;
            of_f32v total = sums[i * OF_PANEL_VECTORS + v];
            if (bias != NULL) total += of_load_some_f32v(bias + j, count);
            if (add) total += of_load_some_f32v(out + j, count);
            of_store_some_f32v(out + j, total, count);
        }
    }
}

/* Multiply all rows of `a` by a panel, in tiles with nearly equal numbers of rows. */
static inline void of_panel_rows(const float *a, ptrdiff_t lda, const float *panel, const float *bias, float *out,
                                 ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t depth, ptrdiff_t columns, int add) {
    ptrdiff_t tiles = of_tile_count(m, OF_PANEL_VECTORS);
    for (ptrdiff_t tile = 0; tile < tiles; tile++) {
        ptrdiff_t rows = of_tile_begin(m, tiles, tile + 1) - of_tile_begin(m, tiles, tile);
#define OF_CASE(ROWS) case ROWS: of_panel_tile(a, lda, panel, bias, out, ldc, depth, columns, add, ROWS); break;
        switch (rows) { OF_EACH_TILE(OF_CASE) }
#undef OF_CASE
        a += rows * lda;
        out += rows * ldc;
    }
}

static void opforge_some_rows(const float *a, ptrdiff_t lda, const float *b, ptrdiff_t ldb, int transposed,
                              const float *bias, float *out, ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k,
                              int add) {
    float panel[OF_PANEL_DEPTH * OF_PANEL_COLUMNS] __attribute__((aligned(64)));
    ptrdiff_t slices = (k + OF_PANEL_DEPTH - 1) / OF_PANEL_DEPTH;
    for (ptrdiff_t j = 0; j < n; j += OF_PANEL_COLUMNS) {
        ptrdiff_t columns = n - j < OF_PANEL_COLUMNS ? n - j : OF_PANEL_COLUMNS;
        for (ptrdiff_t slice = 0; slice < slices; slice++) {
            ptrdiff_t x = k * slice / slices, depth = k * (slice + 1) / slices - x;
            const float *from = transposed ? b + j * ldb + x : b + x * ldb + j;
            of_fill_panel(panel, from, ldb, transposed, depth, columns);
            of_panel_rows(a + x, lda, panel, bias == NULL || slice > 0 ? NULL : bias + j, out + j, ldc, m, depth,
                          columns, add || slice > 0);
        }
    }
}

#endif
#endif
