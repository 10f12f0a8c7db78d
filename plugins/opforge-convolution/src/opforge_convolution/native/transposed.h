/* Matrices transposed: from one order of channels and places to the other. */
#ifndef OPFORGE_CONV_TRANSPOSED_H
#define OPFORGE_CONV_TRANSPOSED_H

#include <stdint.h>

/* Write a dense matrix of float32 or float64 transposed; `y_row` elements lie between the rows of `y`. */
void conv_transpose(int32_t dtype, const void* x, int64_t rows, int64_t columns, void* y, int64_t y_row);

#endif
