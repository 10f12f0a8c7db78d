/* Small products with sums in registers: out[r][0..columns) = or += sum over i < depth of
 * a[r * row + i * step] * b[i * b_row + 0..columns). Rows of b are padded to whole panels. */

typedef void (*tile_function)(int64_t depth, const T* a, int64_t stride, const T* b, int64_t b_row, T* out,
                              int64_t out_row, int add);

FORCE_INLINE void tile(const int rows, int64_t depth, const T* a, int64_t row, int64_t step, const T* b,
                       int64_t b_row, T* out, int64_t out_row, int add) {
    vec sums[TILE_ROWS][2];
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) {
        sums[r][0] = add ? vec_load(out + r * out_row) : (vec){0};
        sums[r][1] = add ? vec_load(out + r * out_row + LANES) : (vec){0};
    }
    for (int64_t i = 0; i < depth; i++, a += step, b += b_row) {
        vec left = vec_load(b), right = vec_load(b + LANES);
#pragma GCC unroll 16
        for (int r = 0; r < rows; r++) {
            vec factor = vec_of(a[r * row]);
            sums[r][0] += factor * left;
            sums[r][1] += factor * right;
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) {
        vec_store(out + r * out_row, sums[r][0]);
        vec_store(out + r * out_row + LANES, sums[r][1]);
    }
}

/* `along`: a's rows lie in memory as they are, `stride` apart. `across`: a is transposed. */
#define TILE(rows)                                                                                            \
    static void along_##rows(int64_t depth, const T* a, int64_t stride, const T* b, int64_t b_row, T* out,    \
                             int64_t out_row, int add) {                                                      \
        tile(rows, depth, a, stride, 1, b, b_row, out, out_row, add);                                         \
    }                                                                                                         \
    static void across_##rows(int64_t depth, const T* a, int64_t stride, const T* b, int64_t b_row, T* out,   \
                              int64_t out_row, int add) {                                                     \
        tile(rows, depth, a, 1, stride, b, b_row, out, out_row, add);                                         \
    }

#if defined(__AVX512F__)
#define EACH_TILE(M) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14)
#else
#define EACH_TILE(M) M(1) M(2) M(3) M(4) M(5) M(6)
#endif

EACH_TILE(TILE)
#undef TILE

#define TILE(rows) along_##rows,
static const tile_function along[TILE_ROWS + 1] = {NULL, EACH_TILE(TILE)};
#undef TILE
#define TILE(rows) across_##rows,
static const tile_function across[TILE_ROWS + 1] = {NULL, EACH_TILE(TILE)};
#undef TILE

/* A matrix of factors, stored as it is or transposed. */
typedef struct factors {
    const T* data;
    int64_t stride;
    int transposed;
} factors;

/* Columns that fill no panel are computed beside the output, which has no room for the rest. */
static void edge(tile_function compute, int64_t rows, int64_t columns, int64_t depth, const T* a, int64_t stride,
                 const T* b, int64_t b_row, T* out, int64_t out_row, int add) {
    T sums[TILE_ROWS * PANEL] = {0};
    compute(depth, a, stride, b, b_row, sums, PANEL, 0);
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < columns; c++) {
            out[r * out_row + c] = sums[r * PANEL + c] + (add ? out[r * out_row + c] : 0);
        }
    }
}

/* Rows are shared out evenly over as few tiles as can be. */
static void multiply(int64_t rows, int64_t columns, int64_t depth, factors a, const T* b, int64_t b_row, T* out,
                     int64_t out_row, int add) {
    int64_t tiles = quotient_up(rows, TILE_ROWS);
    for (int64_t column = 0; column < columns; column += PANEL) {
        for (int64_t at = 0; at < tiles; at++) {
            int64_t first = rows * at / tiles, count = rows * (at + 1) / tiles - first;
            tile_function compute = (a.transposed ? across : along)[count];
            const T* from = a.data + first * (a.transposed ? 1 : a.stride);
            T* to = out + first * out_row + column;
            if (column + PANEL <= columns) compute(depth, from, a.stride, b + column, b_row, to, out_row, add);
            else edge(compute, count, columns - column, depth, from, a.stride, b + column, b_row, to, out_row, add);
        }
    }
}
