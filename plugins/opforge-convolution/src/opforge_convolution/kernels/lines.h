/* The innermost product of the gradient to weights: some filters of the results' gradient times a panel
 * of channels under one tap, added up over places, with the sums in registers. */
#ifndef OPFORGE_CONVOLUTION_LINES_H
#define OPFORGE_CONVOLUTION_LINES_H

#include "tile.h"

/* Places, in lines of equal length. Each has the elements of a panel's channels side by side. */
typedef struct lines {
    const int64_t* begins; /* where each line is in the data */
    int64_t count, length;
    int64_t step;          /* elements from one place to the next */
} lines;

/* sums[r][0..PANEL) = or += sum over places p of out[p][r] * data[p]. */
typedef void (*lines_function)(const lines* l, const float* out, const float* data, float* sums, int add);

FORCE_INLINE void lines_add_up(const int rows, const lines* l, const float* out, const float* data, float* sums,
                               int add) {
    vec acc[TILE_ROWS][2];
    tile_load(rows, sums, PANEL, NULL, add, acc);
    for (int64_t line = 0; line < l->count; line++) {
        out = tile_add(rows, l->length, out, data + l->begins[line], l->step, acc);
    }
    tile_store(rows, acc, sums, PANEL);
}

#define LINES(rows)                                                                                            \
    static void lines_##rows(const lines* l, const float* out, const float* data, float* sums, int add) { \
        lines_add_up(rows, l, out, data, sums, add);                                                           \
    }
EACH_TILE(LINES)
#undef LINES

/* By the number of rows. */
#define LINES(rows) lines_##rows,
static const lines_function lines_of[TILE_ROWS + 1] = {NULL, EACH_TILE(LINES)};
#undef LINES

#endif
