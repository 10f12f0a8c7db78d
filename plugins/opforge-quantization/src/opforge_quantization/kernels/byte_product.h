/* Products of rows of bytes with packed weights: out[i, j] = f(sum over x of rows[i, x] * weights[j, x]).
 *
 * Rows hold unsigned bytes; signed data are stored with 128 added, which `start` makes up for. Sums are exact in 32
 * bits. Weights are packed once: a panel holds up to four vectors of columns, of which each lane has four successive
 * bytes of its column. */
#ifndef OPFORGE_QUANTIZATION_BYTE_PRODUCT_H
#define OPFORGE_QUANTIZATION_BYTE_PRODUCT_H

#include <stddef.h>
#include <stdint.h>

typedef enum byte_result { RESULT_FLOAT32, RESULT_INT8, RESULT_UINT8 } byte_result;

/* What becomes of sums: (sum + start) * scale + shift + other * other_scale, at least `low`, and rounded for bytes.
 * Arrays of columns are padded to complete vectors. */
typedef struct byte_finish {
    byte_result type;
    const int32_t* start;
    const float *scale, *shift; /* shift: NULL for zero */
    const void* other;          /* NULL for none: bytes like the results, `other_step` apart between rows */
    int64_t other_step;
    int other_is_signed;
    float other_scale, low;
} byte_finish;

typedef struct byte_product {
    const uint8_t* rows;
    int64_t row_step, count; /* bytes between rows; rows */
    const int8_t* weights;   /* from byte_pack */
    int64_t columns, depth;  /* results of a row; groups of four bytes of a row */
    char* out;
    int64_t out_step; /* bytes between rows of results */
    byte_finish finish;
} byte_product;

enum { BYTE_PANEL_VECTORS = 4 };

/* Columns are distributed evenly over the smallest number of panels. */
int64_t byte_panel_count(int64_t columns);
int64_t byte_panel_begin(int64_t columns, int64_t panel);

/* Bytes of packed weights, and numbers of padded columns. */
int64_t byte_packed_size(int64_t columns, int64_t length);
int64_t byte_padded_columns(int64_t columns);

/* Pack weights[columns][length], and store the sum of each column. */
void byte_pack(const int8_t* weights, int64_t columns, int64_t length, int8_t* packed, int32_t* sums);

/* Compute the results of some panels. */
void byte_product_panels(const byte_product* p, int64_t begin, int64_t end);

#endif
