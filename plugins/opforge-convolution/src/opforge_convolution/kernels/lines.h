/* The innermost product of weight gradients: some filters of the results' gradient times a panel of channels under
 * one tap, summed over positions, with accumulators in registers. */
#ifndef OPFORGE_CONVOLUTION_LINES_H
#define OPFORGE_CONVOLUTION_LINES_H

#include "tile.h"

/* Positions, in lines of equal length. Each has the elements of a panel of channels side by side. */
typedef struct lines {
    const int64_t* begins; /* start of each line in the data */
    int64_t count, length;
    int64_t step;          /* elements between positions */
} lines;

/* sums[r][0..PANEL) = or += sum over positions p of out[p][r] * data[p]. */
OF_INLINE void lines_add_up(const int rows, const lines* l, const float* out, const float* data, float* sums,
                            int add) {
    vec acc[OF_TILE_SUMS];
    tile_load(rows, sums, PANEL, NULL, add, acc);
    for (int64_t line = 0; line < l->count; line++) {
        out = tile_add(rows, l->length, out, data + l->begins[line], l->step, acc);
    }
    tile_store(rows, acc, sums, PANEL);
}

OF_NOINLINE void add_up_lines(int64_t rows, const lines* l, const float* out, const float* data, float* sums, int add) {
#define LINES(rows) case rows: lines_add_up(rows, l, out, data, sums, add); break;
    switch (rows) { OF_EACH_TILE(LINES) }
#undef LINES
}

#endif
