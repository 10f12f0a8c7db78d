/* Convolution of images of bytes whose channels are adjacent, as products of gathered windows with packed filters. */
#ifndef OPFORGE_QUANTIZATION_BYTE_CONVOLUTION_H
#define OPFORGE_QUANTIZATION_BYTE_CONVOLUTION_H

#include "kernels/byte_product.h"
#include "kernels/byte_window.h"

typedef struct byte_convolution {
    byte_window window;
    int is_signed;          /* data */
    int64_t groups;         /* of channels and filters */
    int64_t packed_size;    /* bytes of the packed filters of a group */
    int64_t padded_columns; /* of a group, elements of the arrays of columns */
    byte_product product;   /* of the first group; `rows`, `row_step` and `count` are set for each block */
} byte_convolution;

/* The division into units of work: blocks of results times parts of the panels. */
typedef struct byte_division {
    int64_t results, rows, blocks, parts;
} byte_division;

byte_division byte_convolution_divide(const byte_convolution* c, int64_t results, int64_t threads);

/* Bytes of memory that a worker needs for gathered windows. */
int64_t byte_convolution_scratch(const byte_convolution* c, const byte_division* d);

/* Compute the units [begin, end) of blocks * parts. */
void byte_convolution_run(const byte_convolution* c, const byte_division* d, int64_t begin, int64_t end,
                          uint8_t* scratch);

#endif
