/* Matrix products of rows with rows: out[i, j] = a[i] . b[j] + bias[j] (+ out[i, j]).
 *
 * BLAS packs `b` before it multiplies, which costs as much as the arithmetic of ten rows. Here nothing is packed: a
 * tile of sums, each in the lanes of one vector, reads a few rows of both matrices in order. The lanes are added up at
 * the end, so rows should be long. */
#ifndef OPFORGE_DOTS_H
#define OPFORGE_DOTS_H

#include <stddef.h>

#include "opforge/fetch.h"
#include "opforge/tile.h"

typedef void (*opforge_dots_fn)(const float *a, ptrdiff_t lda, const float *b, ptrdiff_t ldb, const float *bias,
                                float *out, ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, ptrdiff_t depth,
                                int add);

enum {
    OF_DOTS_B = 4,       /* rows of `b` in a tile, whose rows of `a` are at most OF_TILE_ROWS(OF_DOTS_B) */
    OF_DOTS_FETCHES = 8, /* tiles from which fetching the next rows costs little: a few lines for each */
};

/* Multiply `rows` rows of a by `cols` (1 or OF_DOTS_B) rows of b; both are constants after inlining. */
OF_INLINE void of_dots_tile(const float *a, ptrdiff_t lda, const float *b, ptrdiff_t ldb, const float *bias, float *out,
                            ptrdiff_t ldc, ptrdiff_t k, int add, const int rows, const int cols) {
    of_f32v sums[OF_TILE_SUMS] = {{0}};
    const float *left[OF_TILE_SUMS], *right[OF_DOTS_B];
    if (rows > OF_TILE_ROWS(OF_DOTS_B)) return;
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) left[i] = a + i * lda;
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) right[j] = b + j * ldb;
    const ptrdiff_t whole = k / OF_LANES_f32v * OF_LANES_f32v;
    of_add_dots_f32v(rows, cols, whole, left, right, sums);
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
        float totals[OF_DOTS_B];
        of_f32v lanes[OF_DOTS_B] = {{0}}; /* even a single sum is added up in the same order */
        for (int j = 0; j < cols; j++) lanes[j] = sums[i * cols + j];
        of_sums_f32v(lanes, totals);
        for (ptrdiff_t tail = whole; tail < k; tail++)
            for (int j = 0; j < cols; j++) totals[j] += left[i][tail] * right[j][tail];
        if (bias != NULL)
            for (int j = 0; j < cols; j++) totals[j] += bias[j];
        if (add)
            for (int j = 0; j < cols; j++) totals[j] += out[i * ldc + j];
        memcpy(out + i * ldc, totals, cols * sizeof(float));
    }
}

/* Multiply all rows of `a` by `cols` rows of b, in tiles with nearly equal numbers of rows; meanwhile, fetch `next` rows
 * after these. */
OF_INLINE void of_dots_columns(const float *a, ptrdiff_t lda, const float *b, ptrdiff_t ldb, const float *bias,
                               float *out, ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t k, int add, const int cols,
                               ptrdiff_t next) {
    const ptrdiff_t tiles = of_tile_count(m, OF_DOTS_B);
    of_fetch fetch = of_fetch_rows(b + cols * ldb, ldb * 4, tiles < OF_DOTS_FETCHES ? 0 : next, k * 4, tiles);
    for (ptrdiff_t tile = 0; tile < tiles; tile++) {
        of_fetch_some(&fetch);
        const ptrdiff_t rows = of_tile_begin(m, tiles, tile + 1) - of_tile_begin(m, tiles, tile);
#define OF_CASE(ROWS) case ROWS: of_dots_tile(a, lda, b, ldb, bias, out, ldc, k, add, ROWS, cols); break;
        switch (rows) { OF_EACH_TILE(OF_CASE) }
#undef OF_CASE
        a += rows * lda;
        out += rows * ldc;
    }
}

/* For one to three rows of `a`, most time goes to reading `b`: with more of its rows in a tile, more of them are on their
 * way to the core at once. Short rows spend more on storing single sums than they save, and 16 registers are too few.
 * 2 x 3072 x 768 on two cores: 80 us with four rows of `b`, 69 with eight. */
#if OF_REGISTERS == 32
enum { OF_DOTS_LONG = 1024, OF_DOTS_MANY = 8 };

/* Multiply OF_DOTS_MANY rows of b by `cols` rows of a, a constant after inlining. */
OF_INLINE void of_dots_many_tile(const float *a, ptrdiff_t lda, const float *b, ptrdiff_t ldb, const float *bias,
                                 float *out, ptrdiff_t ldc, ptrdiff_t k, int add, const int cols) {
    enum { rows = OF_DOTS_MANY };
    of_f32v sums[OF_TILE_SUMS] = {{0}};
    const float *left[3], *right[rows];
    float totals[OF_TILE_SUMS];
    if (cols > 3) return;
#pragma GCC unroll 8
    for (int j = 0; j < rows; j++) right[j] = b + j * ldb;
#pragma GCC unroll 3
    for (int i = 0; i < cols; i++) left[i] = a + i * lda;
    const ptrdiff_t whole = k / OF_LANES_f32v * OF_LANES_f32v;
    of_add_dots_f32v(rows, cols, whole, right, left, sums);
#pragma GCC unroll 8
    for (int s = 0; s < rows * cols; s += 4) of_sums_f32v(sums + s, totals + s);
    for (int j = 0; j < rows; j++) {
        for (int i = 0; i < cols; i++) {
            float total = totals[j * cols + i];
            for (ptrdiff_t tail = whole; tail < k; tail++) total += left[i][tail] * right[j][tail];
            if (bias != NULL) total += bias[j];
            if (add) total += out[i * ldc + j];
            out[i * ldc + j] = total;
        }
    }
}

/* Multiply the first rows of `b` by the rows of `a` if these are few and long, and return the number of multiplied rows. */
OF_NOINLINE ptrdiff_t of_dots_many(const float *a, ptrdiff_t lda, const float *b, ptrdiff_t ldb, const float *bias,
                                   float *out, ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, int add) {
    ptrdiff_t j = 0;
    if (m > 3 || k < OF_DOTS_LONG) return 0;
    for (; j + OF_DOTS_MANY <= n; j += OF_DOTS_MANY) {
        const float *from = b + j * ldb, *offset = bias == NULL ? NULL : bias + j;
        switch (m) {
#define OF_CASE(M) \
    case M: of_dots_many_tile(a, lda, from, ldb, offset, out + j, ldc, k, add, M); break;
            OF_CASE(1) OF_CASE(2) OF_CASE(3)
#undef OF_CASE
        }
    }
    return j;
}
#else
#define of_dots_many(...) 0
#endif

OF_INLINE void of_dots_slice(const float *a, ptrdiff_t lda, const float *b, ptrdiff_t ldb, const float *bias, float *out,
                             ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, int add) {
    ptrdiff_t j = of_dots_many(a, lda, b, ldb, bias, out, ldc, m, n, k, add);
    for (; j + OF_DOTS_B <= n; j += OF_DOTS_B) {
        const ptrdiff_t left = n - j - OF_DOTS_B, next = left < OF_DOTS_B ? left : OF_DOTS_B;
        of_dots_columns(a, lda, b + j * ldb, ldb, bias == NULL ? NULL : bias + j, out + j, ldc, m, k, add, OF_DOTS_B,
                        next);
    }
    for (; j < n; j++)
        of_dots_columns(a, lda, b + j * ldb, ldb, bias == NULL ? NULL : bias + j, out + j, ldc, m, k, add, 1, 0);
}

/* Multiply `depth` elements of the rows at a time. */
static void opforge_dots(const float *a, ptrdiff_t lda, const float *b, ptrdiff_t ldb, const float *bias, float *out,
                         ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, ptrdiff_t depth, int add) {
    for (ptrdiff_t x = 0; x < k; x += depth) {
        const ptrdiff_t length = k - x < depth ? k - x : depth;
        of_dots_slice(a + x, lda, b + x, ldb, x > 0 ? NULL : bias, out, ldc, m, n, length, add || x > 0);
    }
}

#endif
