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
    OF_PANEL_FETCH = 16, /* rows of a panel after which to fetch more of the next */
    OF_PANEL_ROWS = 1024, /* for which a panel is packed: their results, 256 KB, stay in the L2 cache */
};

/* A panel of some columns, from column j and row x of `b` on; its own rows are `step` elements apart. */
typedef struct {
    const float *data;
    ptrdiff_t step, depth, columns, x, j;
} opforge_panel;

/* The matrix `b` of n columns and k rows, divided into slices of rows. */
typedef struct {
    const float *data;
    ptrdiff_t step;
    int transposed;
    ptrdiff_t n, k, slices;
} opforge_right;

/* The panel of some index, in place; panels of the same columns are adjacent. Without columns after the last. */
static inline opforge_panel of_panel_at(const opforge_right *b, ptrdiff_t index) {
    const ptrdiff_t slice = index % b->slices, j = index / b->slices * OF_PANEL_COLUMNS;
    const ptrdiff_t x = of_tile_begin(b->k, b->slices, slice), depth = of_tile_begin(b->k, b->slices, slice + 1) - x;
    if (j >= b->n) return (opforge_panel){b->data, b->step, 0, 0, 0, 0};
    const ptrdiff_t columns = b->n - j < OF_PANEL_COLUMNS ? b->n - j : OF_PANEL_COLUMNS;
    return (opforge_panel){b->data + (b->transposed ? j * b->step + x : x * b->step + j), b->step, depth, columns, x, j};
}

/* Fetch a panel in some number of times. */
static inline of_fetch of_fetch_panel(const opforge_right *b, const opforge_panel *panel, ptrdiff_t times) {
    return b->transposed ? of_fetch_rows(panel->data, b->step * 4, panel->columns, panel->depth * 4, times)
                         : of_fetch_rows(panel->data, b->step * 4, panel->depth, panel->columns * 4, times);
}

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

/* Multiply `rows` rows of a by the first `vectors` of a panel; both are constants after inlining. Meanwhile, fetch some
 * of the next panel: lines in a burst would delay the elements of `a`. */
OF_INLINE void of_panel_tile(const float *a, ptrdiff_t lda, const opforge_panel *panel, const float *bias, float *out,
                             ptrdiff_t ldc, int add, of_fetch *fetch, const int rows, const int vectors) {
    of_f32v sums[OF_TILE_SUMS] = {{0}};
    if (rows > OF_TILE_ROWS(OF_PANEL_VECTORS)) return;
    for (ptrdiff_t x = 0; x < panel->depth; x += OF_PANEL_FETCH) {
        const ptrdiff_t depth = panel->depth - x < OF_PANEL_FETCH ? panel->depth - x : OF_PANEL_FETCH;
        of_fetch_some(fetch);
        of_add_products_f32v(rows, vectors, depth, a + x, lda, 1, panel->data + x * panel->step, panel->step, OF_LANES_f32v,
                             sums);
    }
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
                             ptrdiff_t ldc, ptrdiff_t m, int add, of_fetch *fetch, const int vectors) {
    const ptrdiff_t tiles = of_tile_count(m, OF_PANEL_VECTORS);
    for (ptrdiff_t tile = 0; tile < tiles; tile++) {
        const ptrdiff_t rows = of_tile_begin(m, tiles, tile + 1) - of_tile_begin(m, tiles, tile);
#define OF_CASE(ROWS) case ROWS: of_panel_tile(a, lda, panel, bias, out, ldc, add, fetch, ROWS, vectors); break;
        switch (rows) { OF_EACH_TILE(OF_CASE) }
#undef OF_CASE
        a += rows * lda;
        out += rows * ldc;
    }
}

OF_NOINLINE void of_panel_product(const float *a, ptrdiff_t lda, const opforge_panel *panel, const float *bias,
                                  float *out, ptrdiff_t ldc, ptrdiff_t m, int add, of_fetch *fetch) {
    switch ((panel->columns + OF_LANES_f32v - 1) / OF_LANES_f32v) {
    case 1: of_panel_rows(a, lda, panel, bias, out, ldc, m, add, fetch, 1); break;
    case 2: of_panel_rows(a, lda, panel, bias, out, ldc, m, add, fetch, 2); break;
    case 3: of_panel_rows(a, lda, panel, bias, out, ldc, m, add, fetch, 3); break;
    default: of_panel_rows(a, lda, panel, bias, out, ldc, m, add, fetch, OF_PANEL_VECTORS);
    }
}

/* Multiply up to OF_PANEL_ROWS rows of `a`. */
static void of_panels_block(const float *a, ptrdiff_t lda, const opforge_right *b, const float *bias, float *out,
                            ptrdiff_t ldc, ptrdiff_t m, int add) {
    float packed[OF_PANEL_DEPTH * OF_PANEL_COLUMNS] __attribute__((aligned(64)));
    const ptrdiff_t count = (b->n + OF_PANEL_COLUMNS - 1) / OF_PANEL_COLUMNS * b->slices, tiles = of_tile_count(m, OF_PANEL_VECTORS);
    for (ptrdiff_t index = 0; index < count; index++) {
        opforge_panel panel = of_panel_at(b, index), next = of_panel_at(b, index + 1);
        const int in_place = !b->transposed && panel.columns % OF_LANES_f32v == 0 && m <= OF_PANEL_FEW_ROWS;
        if (in_place) {
            next.columns = 0;
        } else {
            of_fill_panel(packed, panel.data, b->step, b->transposed, panel.depth, panel.columns);
            panel.data = packed;
            panel.step = OF_PANEL_COLUMNS;
        }
        of_fetch fetch = of_fetch_panel(b, &next, tiles * ((panel.depth + OF_PANEL_FETCH - 1) / OF_PANEL_FETCH));
        of_panel_product(a + panel.x, lda, &panel, bias == NULL || panel.x > 0 ? NULL : bias + panel.j, out + panel.j, ldc, m,
                         add || panel.x > 0, &fetch);
    }
}

static void opforge_panels(const float *a, ptrdiff_t lda, const float *b, ptrdiff_t ldb, int transposed,
                           const float *bias, float *out, ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k,
                           int add) {
    const ptrdiff_t blocks = (m + OF_PANEL_ROWS - 1) / OF_PANEL_ROWS, slices = (k + OF_PANEL_DEPTH - 1) / OF_PANEL_DEPTH;
    const opforge_right right = {b, ldb, transposed, n, k, slices};
    for (ptrdiff_t block = 0; block < blocks; block++) {
        const ptrdiff_t i = of_tile_begin(m, blocks, block), rows = of_tile_begin(m, blocks, block + 1) - i;
        of_panels_block(a + i * lda, lda, &right, bias, out + i * ldc, ldc, rows, add);
    }
}

#endif
#endif
