/* Rows of real numbers, each quantized to int8 with its own scale. */
#ifndef OPFORGE_QUANTIZATION_BYTE_ROWS_H
#define OPFORGE_QUANTIZATION_BYTE_ROWS_H

#include <stdint.h>

/* Rows are padded with zeros to multiples of this. */
enum { ROW_BLOCK = 64 };

static inline int64_t padded_length(int64_t length) { return (length + ROW_BLOCK - 1) / ROW_BLOCK * ROW_BLOCK; }

/* Store `length` numbers as integers of magnitude 127 or less; return the real number of an integer 1, which is NaN if
 * a number is not finite. */
float quantize_row(const float* row, int64_t length, int8_t* bytes);

/* The sum of a padded row times a factor, and those of each four of its bytes. */
int32_t scaled_sum(const int8_t* bytes, int64_t padded, int32_t factor);
void scaled_sums_of_four(const int8_t* bytes, int64_t padded, int32_t factor, int32_t* sums);

#endif
