/* Transposition of matrices between channels first and channels last. */
#ifndef OPFORGE_CONV_TRANSPOSED_H
#define OPFORGE_CONV_TRANSPOSED_H

#include <opforge/abi.h>

/* Transpose a dense matrix of float32 or float64; rows of `y` are `y_row` elements apart. */
void conv_transpose(opforge_dtype dtype, const void* x, int64_t rows, int64_t columns, void* y, int64_t y_row);

#endif
