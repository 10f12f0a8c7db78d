/* Small matrix products with accumulators in registers: out[r][0..columns) = or += sum over i < depth of
 * a[r][i] * b[i * b_row + 0..columns). Rows of b are padded to full panels. */

/* The left matrix of a product, stored plainly or transposed. */
typedef struct operand {
    const T* data;
    int64_t stride;
    int transposed;
} operand;

OF_INLINE void tile(const int rows, int64_t depth, operand a, const T* b, int64_t b_row, T* out, int64_t out_row,
                    int add) {
    vec sums[OF_TILE_SUMS];
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) {
        sums[2 * r] = add ? V(load)(out + r * out_row) : (vec){0};
        sums[2 * r + 1] = add ? V(load)(out + r * out_row + LANES) : (vec){0};
    }
    if (a.transposed) V(add_products)(rows, 2, depth, a.data, 1, a.stride, b, b_row, LANES, sums);
    else V(add_products)(rows, 2, depth, a.data, a.stride, 1, b, b_row, LANES, sums);
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) {
        V(store)(out + r * out_row, sums[2 * r]);
        V(store)(out + r * out_row + LANES, sums[2 * r + 1]);
    }
}

OF_NOINLINE void run_tile(int64_t rows, int64_t depth, operand a, const T* b, int64_t b_row, T* out, int64_t out_row,
                          int add) {
#define TILE(rows) case rows: tile(rows, depth, a, b, b_row, out, out_row, add); break;
    switch (rows) { OF_EACH_TILE(TILE) }
#undef TILE
}

/* Compute a partial panel of columns in a buffer, because the output has no space for the padding. */
static void run_edge(int64_t rows, int64_t columns, int64_t depth, operand a, const T* b, int64_t b_row, T* out,
                     int64_t out_row, int add) {
    T sums[OF_TILE_SUMS * LANES];
    run_tile(rows, depth, a, b, b_row, sums, PANEL, 0);
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < columns; c++) {
            out[r * out_row + c] = sums[r * PANEL + c] + (add ? out[r * out_row + c] : 0);
        }
    }
}

static void multiply(int64_t rows, int64_t columns, int64_t depth, operand a, const T* b, int64_t b_row, T* out,
                     int64_t out_row, int add) {
    int64_t tiles = of_tile_count(rows, 2);
    for (int64_t column = 0; column < columns; column += PANEL) {
        for (int64_t at = 0; at < tiles; at++) {
            int64_t first = of_tile_begin(rows, tiles, at), count = of_tile_begin(rows, tiles, at + 1) - first;
            operand from = {a.data + first * (a.transposed ? 1 : a.stride), a.stride, a.transposed};
            T* to = out + first * out_row + column;
            if (column + PANEL <= columns) run_tile(count, depth, from, b + column, b_row, to, out_row, add);
            else run_edge(count, columns - column, depth, from, b + column, b_row, to, out_row, add);
        }
    }
}
