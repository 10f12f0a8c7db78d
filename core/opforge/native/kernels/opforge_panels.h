/* Products of some rows with a matrix: out[i, j] = a[i] . b[:, j] + bias[j] (+ out[i, j]).
 *
 * BLAS takes half as long again to pack a large `b` as to multiply some dozens of rows with it. Here a
 * panel of `b` is laid out by whole vectors, stays in the nearest caches while all rows of `a` are
 * multiplied with it, and its place is used again. Sums of a tile of rows and columns stay in registers, of
 * which AVX-512 has enough: with 16 the gain over BLAS is none. */
#ifndef OPFORGE_PANELS_H
#define OPFORGE_PANELS_H

#include <stddef.h>
#include <string.h>

#include "opforge_product.h"
#include "opforge_transpose.h"

/* Element (x, j) of `b` is b[j * ldb + x] where it is transposed, else b[x * ldb + j]. */
typedef void (*opforge_some_rows_fn)(const float *a, ptrdiff_t lda, const float *b, ptrdiff_t ldb, int transposed,
                                     const float *bias, float *out, ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t n,
                                     ptrdiff_t k, int add);

typedef struct {
    opforge_few_rows_fn few_rows;
    opforge_some_rows_fn some_rows;
} opforge_product_table;

#ifndef __AVX512F__
#define opforge_some_rows NULL
#else

enum {
    OF_PANEL_VECTORS = 4,
    OF_PANEL_COLUMNS = OF_PANEL_VECTORS * OF_LANES,
    OF_PANEL_DEPTH = 128, /* 32 KB, on the stack */
    OF_TILE_ROWS = 6,     /* 24 sums of 32 registers */
};

/* The first `count` lanes, of which there may be none or more than there are; the others are 0. */
static inline of_lanes of_load_some(const float *p, ptrdiff_t count) {
    of_lanes v = {0};
    if (count >= OF_LANES) memcpy(&v, p, sizeof v);
    else if (count > 0) memcpy(&v, p, count * sizeof(float));
    return v;
}

static inline void of_store_some(float *p, of_lanes v, ptrdiff_t count) {
    if (count >= OF_LANES) memcpy(p, &v, sizeof v);
    else if (count > 0) memcpy(p, &v, count * sizeof(float));
}

static inline void of_fill_panel(float *panel, const float *b, ptrdiff_t ldb, int transposed, ptrdiff_t depth,
                                 ptrdiff_t columns) {
    if (columns < OF_PANEL_COLUMNS) memset(panel, 0, depth * OF_PANEL_COLUMNS * sizeof(float));
    if (transposed) {
        of_transpose_32(b, ldb, panel, OF_PANEL_COLUMNS, depth, columns);
        return;
    }
    for (ptrdiff_t x = 0; x < depth; x++) memcpy(panel + x * OF_PANEL_COLUMNS, b + x * ldb, columns * sizeof(float));
}

/* `rows`, a constant where it is inlined, of a by a panel. */
static inline __attribute__((always_inline)) void of_panel_tile(const float *a, ptrdiff_t lda, const float *panel,
                                                                const float *bias, float *out, ptrdiff_t ldc,
                                                                ptrdiff_t depth, ptrdiff_t columns, int add,
                                                                const int rows) {
    of_lanes sums[OF_TILE_ROWS][OF_PANEL_VECTORS];
#pragma GCC unroll 6
    for (int i = 0; i < rows; i++) {
#pragma GCC unroll 4
        for (int v = 0; v < OF_PANEL_VECTORS; v++) sums[i][v] = (of_lanes){0};
    }
    for (ptrdiff_t x = 0; x < depth; x++, panel += OF_PANEL_COLUMNS) {
        of_lanes right[OF_PANEL_VECTORS];
        memcpy(right, panel, sizeof right);
#pragma GCC unroll 6
        for (int i = 0; i < rows; i++) {
            const of_lanes left = a[i * lda + x] - (of_lanes){0};
#pragma GCC unroll 4
            for (int v = 0; v < OF_PANEL_VECTORS; v++) sums[i][v] = OF_MADD(left, right[v], sums[i][v]);
        }
    }
#pragma GCC unroll 6
    for (int i = 0; i < rows; i++) {
#pragma GCC unroll 4
        for (int v = 0; v < OF_PANEL_VECTORS; v++) {
            const ptrdiff_t at = v * OF_LANES, count = columns - at;
            of_lanes total = sums[i][v];
            if (bias != NULL) total += of_load_some(bias + at, count);
            if (add) total += of_load_some(out + i * ldc + at, count);
            of_store_some(out + i * ldc + at, total, count);
        }
    }
}

#define OF_PANEL_CASE(ROWS) \
    case ROWS: of_panel_tile(a, lda, panel, bias, out, ldc, depth, columns, add, ROWS); break;

/* All rows of `a` by a panel, in tiles of nearly the same number of rows. */
static inline void of_panel_rows(const float *a, ptrdiff_t lda, const float *panel, const float *bias, float *out,
                                 ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t depth, ptrdiff_t columns, int add) {
    ptrdiff_t tiles = (m + OF_TILE_ROWS - 1) / OF_TILE_ROWS;
    for (ptrdiff_t tile = 0; tile < tiles; tile++) {
        ptrdiff_t rows = m * (tile + 1) / tiles - m * tile / tiles;
        switch (rows) {
            OF_PANEL_CASE(1)
            OF_PANEL_CASE(2)
            OF_PANEL_CASE(3)
            OF_PANEL_CASE(4)
            OF_PANEL_CASE(5)
            OF_PANEL_CASE(6)
        }
        a += rows * lda;
        out += rows * ldc;
    }
}
#undef OF_PANEL_CASE

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
