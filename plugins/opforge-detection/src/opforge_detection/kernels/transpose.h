/* Transposition of matrices. Included once per type. */

enum { NAME(TILE) = 16 };

/* Transpose a few columns at a time, so that the written lines stay in the L1 cache. */
static void NAME(transpose)(const T* x, int64_t rows, int64_t columns, int64_t x_step, T* y, int64_t y_step) {
    for (int64_t first = 0; first < columns; first += NAME(TILE)) {
        int64_t end = min_int64(first + NAME(TILE), columns);
        for (int64_t i = 0; i < rows; i++) {
            for (int64_t j = first; j < end; j++) y[j * y_step + i] = x[i * x_step + j];
        }
    }
}
