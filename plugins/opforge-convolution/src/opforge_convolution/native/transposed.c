#include "transposed.h"

#include "conv.h"

enum { TILE = 16 }; /* rows at a time, so that each write fills a cache line */

#define DEFINE_TRANSPOSE(type)                                                                                 \
    static void transpose_##type(const type* x, int64_t rows, int64_t columns, type* y, int64_t y_row) {       \
        for (int64_t r = 0; r < rows; r += TILE) {                                                             \
            int64_t r_end = r + TILE < rows ? r + TILE : rows;                                                 \
            for (int64_t column = 0; column < columns; column++) {                                             \
                for (int64_t row = r; row < r_end; row++) y[column * y_row + row] = x[row * columns + column]; \
            }                                                                                                  \
        }                                                                                                      \
    }
DEFINE_TRANSPOSE(float)
DEFINE_TRANSPOSE(double)

void conv_transpose(opforge_dtype dtype, const void* x, int64_t rows, int64_t columns, void* y, int64_t y_row) {
    if (dtype == OPFORGE_FLOAT32) transpose_float((const float*)x, rows, columns, (float*)y, y_row);
    else transpose_double((const double*)x, rows, columns, (double*)y, y_row);
}
