/* Matrices transposed. Included once for each type. */

enum { NAME(TILE) = 16 };

/* The transposed matrix, a few columns at a time, so that what is written stays in the first cache. */
static void NAME(turn)(const T* x, int64_t rows, int64_t columns, int64_t x_step, T* y, int64_t y_step) {
    for (int64_t first = 0; first < columns; first += NAME(TILE)) {
        int64_t end = least(first + NAME(TILE), columns);
        for (int64_t i = 0; i < rows; i++) {
            for (int64_t j = first; j < end; j++) y[j * y_step + i] = x[i * x_step + j];
        }
    }
}
