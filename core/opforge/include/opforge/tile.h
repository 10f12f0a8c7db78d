/* Tiles of matrix products, whose sums stay in registers, for float32 and float64.
 *
 * A tile has a few rows and vectors of columns, both constants after inlining. A kernel divides the rows of its
 * result with `of_tile_count` and `of_tile_begin`, and starts the sums of each tile, adds products with
 * `of_add_products_f32v`, and stores them; OF_EACH_TILE lists the cases of a switch over the number of rows. The
 * guide "Write a fast kernel" has an example. Valid C11 and C++.
 *
 * The header includes itself for each element type. */
#ifndef OPFORGE_TILE_H
#define OPFORGE_TILE_H

#include "simd.h"

/* The most rows of a tile of some vectors, from 1 to 4, and the most sums: as many as leave registers for operands. */
#if OF_REGISTERS == 32
enum { OF_TILE_SUMS = 28 };
#define OF_TILE_ROWS(vectors) ((vectors) <= 2 ? 14 : 24 / (vectors))
#define OF_EACH_TILE(M) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14)
#else
enum { OF_TILE_SUMS = 12 };
#define OF_TILE_ROWS(vectors) ((vectors) <= 2 ? 6 : 12 / (vectors))
#define OF_EACH_TILE(M) M(1) M(2) M(3) M(4) M(5) M(6)
#endif

/* A function that runs tiles; inlined in others, it would lack registers. */
#define OF_NOINLINE static __attribute__((noinline, unused))

/* Rows are distributed evenly over the smallest number of tiles: tile t starts at of_tile_begin(rows, tiles, t). */
OF_INLINE int64_t of_tile_count(int64_t rows, int64_t vectors) {
    return (rows + OF_TILE_ROWS(vectors) - 1) / OF_TILE_ROWS(vectors);
}

OF_INLINE int64_t of_tile_begin(int64_t rows, int64_t tiles, int64_t tile) { return rows * tile / tiles; }

#define OF_T float
#define OF_V(name) of_##name##_f32v
#define OF_VECTOR of_f32v
#define OF_LANES OF_LANES_f32v
#include "tile.h"
#define OF_T double
#define OF_V(name) of_##name##_f64v
#define OF_VECTOR of_f64v
#define OF_LANES OF_LANES_f64v
#include "tile.h"

#elif defined(OF_VECTOR)

/* sums[r * vectors + v] += sum over k < depth of a[r * a_row + k * a_step] * b[k * b_step + v * b_vector + lane].
 * `rows` is at most OF_TILE_ROWS(vectors). */
OF_INLINE void OF_V(add_products)(const int rows, const int vectors, int64_t depth, const OF_T* a, int64_t a_row,
                                  int64_t a_step, const OF_T* b, int64_t b_step, int64_t b_vector, OF_VECTOR* sums) {
    for (int64_t k = 0; k < depth; k++, a += a_step, b += b_step) {
        OF_VECTOR right[4];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) right[v] = OF_V(load)(b + v * b_vector);
#pragma GCC unroll 16
        for (int r = 0; r < rows; r++) {
            const OF_VECTOR left = OF_V(splat)(a[r * a_row]);
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++) {
                sums[r * vectors + v] = OF_V(madd)(left, right[v], sums[r * vectors + v]);
            }
        }
    }
}

/* sums[i * columns + j] += a[i] . b[j] over n elements, a multiple of the number of lanes; the lanes of a sum remain to
 * be added up. `columns` is at most 4, and `rows` at most OF_TILE_ROWS(columns). */
OF_INLINE void OF_V(add_dots)(const int rows, const int columns, int64_t n, const OF_T* const* a,
                              const OF_T* const* b, OF_VECTOR* sums) {
    for (int64_t at = 0; at < n; at += OF_LANES) {
        OF_VECTOR left[OF_TILE_SUMS];
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++) left[i] = OF_V(load)(a[i] + at);
#pragma GCC unroll 4
        for (int j = 0; j < columns; j++) {
            const OF_VECTOR right = OF_V(load)(b[j] + at);
#pragma GCC unroll 16
            for (int i = 0; i < rows; i++) {
                sums[i * columns + j] = OF_V(madd)(left[i], right, sums[i * columns + j]);
            }
        }
    }
}

#undef OF_T
#undef OF_V
#undef OF_VECTOR
#undef OF_LANES
#endif
