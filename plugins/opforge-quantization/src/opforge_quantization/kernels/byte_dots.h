/* Products of rows of int8, each with a scale, with weights of 8 or 4 bits in the order of their file:
 * out[i, j] = sum over x of rows[i, x] * weights[j, x], times both scales, + bias[j].
 *
 * Each row of weights is read once for all rows of data, as fast as memory allows: nothing is packed in advance. Weights
 * have a scale for each row, or for each group of its elements. */
#ifndef OPFORGE_QUANTIZATION_BYTE_DOTS_H
#define OPFORGE_QUANTIZATION_BYTE_DOTS_H

#include "kernels/byte_rows.h"

typedef struct byte_dots {
    int8_t* rows;    /* padded */
    float* steps;    /* of each row: the real number of an integer 1 */
    int32_t* starts; /* of each row, or with groups of each four of its bytes: their sum, times minus the unsigned
                              byte that stands for a weight of 0 */
    int64_t count, padded;

    /* Four bits: a block of 64 elements has 32 bytes, of which the lower halves are its first 32 elements, and 8 stands
     * for zero. Eight bits: int8. */
    int bits;
    const uint8_t* weights;
    int64_t columns, length, column_bytes;
    const float* scales; /* [columns][groups] */
    int has_groups;      /* of 2^group_shift elements, 32 or more; else whole rows are groups */
    int group_shift;
    int64_t groups;

    const float* bias; /* NULL for none */
    float* out;        /* [count][columns] */
} byte_dots;

/* The unsigned byte that stands for a weight of 0. */
static inline int32_t weight_zero(int bits) { return bits == 8 ? 128 : 8; }

/* Columns that are computed together. */
enum { DOT_COLUMNS = 4 };

/* Compute the results of the columns [begin, end) * DOT_COLUMNS. */
void byte_dots_run(const byte_dots* p, int64_t begin, int64_t end);

#endif
