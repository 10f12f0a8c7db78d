/* Products with packed weights, sums in registers. A panel holds some vectors of columns of a matrix, row after
 * row; a tile is a few rows of the product with it. Included once for each type. */

/* Where the sums of a tile are: of each vector of columns its first row's, the elements to the next row, and how
 * many lanes there are. What is there is added to, or a bias takes its place. */
typedef struct NAME(sums) {
    T* at[WIDEST];
    const T* bias[WIDEST];
    int64_t row[WIDEST], lanes[WIDEST];
} NAME(sums);

FORCE_INLINE void NAME(tile)(const int rows, const int vectors, int64_t depth, const T* a, int64_t a_row, const T* panel,
                             const NAME(sums) * to) {
    NAME(vec) sums[MOST_ROWS][WIDEST];
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) {
            /* Needed at the end: where it lies far away, it comes meanwhile. */
            fetch_to_write(to->at[v] + r * to->row[v]);
            sums[r][v] = (NAME(vec)){0};
        }
    }
    for (int64_t k = 0; k < depth; k++, panel += vectors * LANES) {
        NAME(vec) columns[WIDEST];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) columns[v] = *(const NAME(vec)*)(panel + v * LANES);
#pragma GCC unroll 8
        for (int r = 0; r < rows; r++) {
            NAME(vec) x = a[r * a_row + k] - (NAME(vec)){0};
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++) sums[r][v] += x * columns[v];
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) {
            T* at = to->at[v] + r * to->row[v];
            NAME(vec) first = NAME(load)(to->bias[v] != NULL ? to->bias[v] : at, to->lanes[v]);
            NAME(store)(at, first + sums[r][v], to->lanes[v]);
        }
    }
}

#define TILE(rows, vectors)                                                                                      \
    static void NAME(tile_##rows##_##vectors)(int64_t depth, const T* a, int64_t a_row, const T* panel,            \
                                              const NAME(sums) * to) {                                            \
        NAME(tile)(rows, vectors, depth, a, a_row, panel, to);                                                    \
    }
EACH_TILE(TILE)
#undef TILE

typedef void (*NAME(tile_function))(int64_t depth, const T* a, int64_t a_row, const T* panel, const NAME(sums) * to);

#define TILE(rows, vectors) [vectors][rows] = NAME(tile_##rows##_##vectors),
static const NAME(tile_function) NAME(tiles)[WIDEST + 1][MOST_ROWS + 1] = {EACH_TILE(TILE)};
#undef TILE

/* -- packing ------------------------------------------------------------------------------------------------------- */

/* A vector of columns of the panel from `lanes` rows of a matrix. */
static void NAME(pack_rows)(const T* x, int64_t row, int64_t depth, int64_t lanes, T* panel, int64_t panel_row) {
    for (int64_t k = 0; k < depth; k++) {
        for (int64_t lane = 0; lane < LANES; lane++) panel[k * panel_row + lane] = lane < lanes ? x[lane * row + k] : 0;
    }
}

/* A vector of columns of the panel from `lanes` columns of a matrix. */
static void NAME(pack_columns)(const T* x, int64_t row, int64_t depth, int64_t lanes, T* panel, int64_t panel_row) {
    for (int64_t k = 0; k < depth; k++) *(NAME(vec)*)(panel + k * panel_row) = NAME(load)(x + k * row, lanes);
}
