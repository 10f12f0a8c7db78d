/* Transposition of rows into columns of a panel, and back. */

/* to[c][lane] = scale * from[lane][c], and 0 in lanes without a row. */
static void pack(const T* from, int64_t row, int64_t count, int64_t depth, T scale, T* to) {
    int64_t whole = depth / LANES * LANES;
    for (int64_t c = 0; c < whole; c += LANES) {
        for (int half = 0; half < PANEL; half += LANES) {
            vec rows[LANES];
#pragma GCC unroll 16
            for (int i = 0; i < LANES; i++) {
                rows[i] = half + i < count ? scale * V(load)(from + (half + i) * row + c) : (vec){0};
            }
            V(transpose)(rows);
#pragma GCC unroll 16
            for (int i = 0; i < LANES; i++) V(store)(to + (c + i) * PANEL + half, rows[i]);
        }
    }
    for (int64_t c = whole; c < depth; c++) {
        for (int64_t lane = 0; lane < PANEL; lane++) {
            to[c * PANEL + lane] = lane < count ? scale * from[lane * row + c] : 0;
        }
    }
}

/* to[lane][c] = scale[lane] * from[c][lane] */
static void unpack(const T* from, int64_t count, int64_t depth, const T* scale, T* to, int64_t row) {
    int64_t whole = depth / LANES * LANES;
    for (int64_t c = 0; c < whole; c += LANES) {
        for (int half = 0; half < count; half += LANES) {
            vec rows[LANES];
#pragma GCC unroll 16
            for (int i = 0; i < LANES; i++) rows[i] = V(load)(from + (c + i) * PANEL + half);
            V(transpose)(rows);
#pragma GCC unroll 16
            for (int i = 0; i < LANES; i++) {
                if (half + i < count) V(store)(to + (half + i) * row + c, scale[half + i] * rows[i]);
            }
        }
    }
    for (int64_t lane = 0; lane < count; lane++) {
        for (int64_t c = whole; c < depth; c++) to[lane * row + c] = scale[lane] * from[c * PANEL + lane];
    }
}
