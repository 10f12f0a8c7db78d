/* Matrix products by panels of columns: out[i, j] = a[i] . b[:, j] + bias[j] (+ out[i, j]).
 *
 * BLAS packs large parts of both operands. Here a panel of `b`, padded to full vectors, stays in the L1 and L2 caches
 * while it is multiplied with all rows of `a`, which are read in place; the next panel reuses its memory. For a few
 * rows, the panel is read in place, too. The sums of a tile of rows and columns stay in registers: with only 16, this
 * is no faster than BLAS. */
#ifndef OPFORGE_PANELS_H
#define OPFORGE_PANELS_H

#include "opforge_brain.h"
#include "opforge_dots.h"
#include "opforge_transpose.h"

/* Element (x, j) of `b` is b[j * ldb + x] if it is transposed, else b[x * ldb + j]. */
typedef void (*opforge_panels_fn)(const float *a, ptrdiff_t lda, const float *b, ptrdiff_t ldb, int transposed,
                                  const float *bias, float *out, ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t n,
                                  ptrdiff_t k, int add);

typedef struct {
    opforge_dots_fn dots;
    opforge_panels_fn panels;
    opforge_brain_fn brain_dots, brain_panels; /* NULL without the instruction */
} opforge_product_table;

#if OF_REGISTERS < 32
#define opforge_panels NULL
#else

enum {
    OF_PANEL_VECTORS = 4, /* at most, and as many as a product has */
    OF_PANEL_COLUMNS = OF_PANEL_VECTORS * OF_LANES_f32v,
    OF_PANEL_DEPTH = 128, /* with AVX-512 32 KB, on the stack */
    OF_PANEL_FEW_ROWS = 2 * OF_TILE_ROWS(OF_PANEL_VECTORS), /* up to which packing costs more than it saves */
    OF_PANEL_ROWS = 1024, /* for which a panel is packed: their results, 256 KB, stay in the L2 cache */
};

/* A panel of some columns, whose rows are `step` elements apart. */
typedef struct {
    const float *data;
    ptrdiff_t step, depth, columns;
} opforge_panel;

static inline void of_fill_panel(float *panel, const float *b, ptrdiff_t ldb, int transposed, ptrdiff_t depth,
                                 ptrdiff_t columns) {
    if (columns < OF_PANEL_COLUMNS) memset(panel, 0, depth * OF_PANEL_COLUMNS * sizeof(float));
    if (transposed) {
        of_transpose_bands_32(b, ldb, panel, OF_PANEL_COLUMNS, depth, columns);
    } else if (columns < OF_PANEL_COLUMNS) {
        for (ptrdiff_t x = 0; x < depth; x++)
            memcpy(panel + x * OF_PANEL_COLUMNS, b + x * ldb, columns * sizeof(float));
    } else { /* with a constant size, copies are vectors */
        for (ptrdiff_t x = 0; x < depth; x++)
            memcpy(panel + x * OF_PANEL_COLUMNS, b + x * ldb, OF_PANEL_COLUMNS * sizeof(float));
    }
}

/* Multiply `rows` rows of a by the first `vectors` of a panel; both are constants after inlining. */
OF_INLINE void of_panel_tile(const float *a, ptrdiff_t lda, const opforge_panel *panel, const float *bias, float *out,
                             ptrdiff_t ldc, int add, const int rows, const int vectors) {
    of_f32v sums[OF_TILE_SUMS] = {{0}};
    if (rows > OF_TILE_ROWS(OF_PANEL_VECTORS)) return;
    of_add_products_f32v(rows, vectors, panel->depth, a, lda, 1, panel->data, panel->step, OF_LANES_f32v, sums);
#pragma GCC unroll 6
    for (int i = 0; i < rows; i++, out += ldc) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) {
            const ptrdiff_t j = v * OF_LANES_f32v, count = panel->columns - j;
            of_f32v total = sums[i * vectors + v];
            if (bias != NULL) total += of_load_some_f32v(bias + j, count);
            if (add) total += of_load_some_f32v(out + j, count);
            of_store_some_f32v(out + j, total, count);
        }
    }
}

/* Multiply all rows of `a` by a panel, in tiles with nearly equal numbers of rows. */
OF_INLINE void of_panel_rows(const float *a, ptrdiff_t lda, const opforge_panel *panel, const float *bias, float *out,
                             ptrdiff_t ldc, ptrdiff_t m, int add, const int vectors) {
    const ptrdiff_t tiles = of_tile_count(m, OF_PANEL_VECTORS);
    for (ptrdiff_t tile = 0; tile < tiles; tile++) {
        const ptrdiff_t rows = of_tile_begin(m, tiles, tile + 1) - of_tile_begin(m, tiles, tile);
#define OF_CASE(ROWS) case ROWS: of_panel_tile(a, lda, panel, bias, out, ldc, add, ROWS, vectors); break;
        switch (rows) { OF_EACH_TILE(OF_CASE) }
#undef OF_CASE
        a += rows * lda;
        out += rows * ldc;
    }
}

OF_NOINLINE void of_panel_product(const float *a, ptrdiff_t lda, const opforge_panel *panel, const float *bias,
                                  float *out, ptrdiff_t ldc, ptrdiff_t m, int add) {
    switch ((panel->columns + OF_LANES_f32v - 1) / OF_LANES_f32v) {
    case 1: of_panel_rows(a, lda, panel, bias, out, ldc, m, add, 1); break;
    case 2: of_panel_rows(a, lda, panel, bias, out, ldc, m, add, 2); break;
    case 3: of_panel_rows(a, lda, panel, bias, out, ldc, m, add, 3); break;
    default: of_panel_rows(a, lda, panel, bias, out, ldc, m, add, OF_PANEL_VECTORS);
    }
}

/* Multiply up to OF_PANEL_ROWS rows of `a`. */
static void of_panels_block(const float *a, ptrdiff_t lda, const float *b, ptrdiff_t ldb, int transposed,
                            const float *bias, float *out, ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k,
                            int add) {
    float packed[OF_PANEL_DEPTH * OF_PANEL_COLUMNS] __attribute__((aligned(64)));
    const ptrdiff_t slices = (k + OF_PANEL_DEPTH - 1) / OF_PANEL_DEPTH;
    for (ptrdiff_t j = 0; j < n; j += OF_PANEL_COLUMNS) {
        const ptrdiff_t columns = n - j < OF_PANEL_COLUMNS ? n - j : OF_PANEL_COLUMNS;
        const int in_place = !transposed && columns % OF_LANES_f32v == 0 && m <= OF_PANEL_FEW_ROWS;
        for (ptrdiff_t slice = 0; slice < slices; slice++) {
            const ptrdiff_t x = k * slice / slices, depth = k * (slice + 1) / slices - x;
            const float *from = transposed ? b + j * ldb + x : b + x * ldb + j;
            opforge_panel panel = {from, ldb, depth, columns};
            if (!in_place) {
                of_fill_panel(packed, from, ldb, transposed, depth, columns);
                panel.data = packed;
                panel.step = OF_PANEL_COLUMNS;
            }
            of_panel_product(a + x, lda, &panel, bias == NULL || slice > 0 ? NULL : bias + j, out + j, ldc, m,
                             add || slice > 0);
        }
    }
}

static void opforge_panels(const float *a, ptrdiff_t lda, const float *b, ptrdiff_t ldb, int transposed,
                           const float *bias, float *out, ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k,
                           int add) {
    const ptrdiff_t blocks = (m + OF_PANEL_ROWS - 1) / OF_PANEL_ROWS;
    for (ptrdiff_t block = 0; block < blocks; block++) {
        const ptrdiff_t i = of_tile_begin(m, blocks, block), rows = of_tile_begin(m, blocks, block + 1) - i;
        of_panels_block(a + i * lda, lda, b, ldb, transposed, bias, out + i * ldc, ldc, rows, n, k, add);
    }
}

#endif
#endif
