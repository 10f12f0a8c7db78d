/* Products with packed weights and accumulators in registers. A panel holds a few vectors of columns of a matrix,
 * row after row; a tile is a few rows of the product with it. Included once for each type. */

/* The destination of a tile: for each vector of columns the address of its first row, the elements between rows,
 * and the number of lanes. The tile is added to it, or to a bias. */
typedef struct NAME(sums) {
    T* at[PANEL_VECTORS];
    const T* bias[PANEL_VECTORS];
    int64_t row[PANEL_VECTORS], lanes[PANEL_VECTORS];
} NAME(sums);

OF_INLINE void NAME(tile)(const int rows, const int vectors, int64_t depth, const T* a, int64_t a_row, const T* panel,
                          const NAME(sums) * to) {
    VECTOR sums[OF_TILE_SUMS] = {{0}};
    if (rows > OF_TILE_ROWS(vectors)) return;
    /* The destination is needed at the end: prefetch it meanwhile. */
    for (int r = 0; r < rows; r++) {
        for (int v = 0; v < vectors; v++) prefetch_write(to->at[v] + r * to->row[v]);
    }
    V(add_products)(rows, vectors, depth, a, a_row, 1, panel, vectors * LANES, LANES, sums);
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) {
            T* at = to->at[v] + r * to->row[v];
            VECTOR first = V(load_some)(to->bias[v] != NULL ? to->bias[v] : at, to->lanes[v]);
            V(store_some)(at, first + sums[r * vectors + v], to->lanes[v]);
        }
    }
}

/* Compute a tile of OF_TILE_ROWS(vectors) rows at most. */
OF_NOINLINE void NAME(run_tile)(int64_t rows, int64_t vectors, int64_t depth, const T* a, int64_t a_row, const T* panel,
                                const NAME(sums) * to) {
#define TILE(rows)                                                        \
    case rows:                                                            \
        if (vectors == 3) NAME(tile)(rows, 3, depth, a, a_row, panel, to); \
        else NAME(tile)(rows, 4, depth, a, a_row, panel, to);             \
        break;
    switch (rows) { OF_EACH_TILE(TILE) }
#undef TILE
}

/* -- packing ------------------------------------------------------------------------------------------------------- */

/* Fill one vector of columns of the panel with `lanes` rows of a matrix. */
static void NAME(pack_rows)(const T* x, int64_t row, int64_t depth, int64_t lanes, T* panel, int64_t panel_row) {
    for (int64_t k = 0; k < depth; k++) {
        for (int64_t lane = 0; lane < LANES; lane++) panel[k * panel_row + lane] = lane < lanes ? x[lane * row + k] : 0;
    }
}

/* Fill one vector of columns of the panel with `lanes` columns of a matrix. */
static void NAME(pack_columns)(const T* x, int64_t row, int64_t depth, int64_t lanes, T* panel, int64_t panel_row) {
    for (int64_t k = 0; k < depth; k++) V(store)(panel + k * panel_row, V(load_some)(x + k * row, lanes));
}
