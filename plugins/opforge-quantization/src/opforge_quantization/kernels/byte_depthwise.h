/* Convolution of each channel of images of bytes with its own filter. */
#ifndef OPFORGE_QUANTIZATION_BYTE_DEPTHWISE_H
#define OPFORGE_QUANTIZATION_BYTE_DEPTHWISE_H

#include "kernels/byte_product.h"
#include "kernels/byte_window.h"

typedef struct byte_depthwise {
    byte_window window;
    int is_signed;         /* data */
    const int8_t* weights; /* from byte_depthwise_pack */
    char* out;             /* results of a pixel are adjacent */
    byte_finish finish;    /* arrays of columns in the order of byte_depthwise_order, padded */
} byte_depthwise;

/* Channels padded to complete vectors of bytes. */
int64_t byte_depthwise_padded(int64_t channels);
int64_t byte_depthwise_packed_size(int64_t channels, int64_t taps);

/* The channel of an element of an array of columns, and the element of a channel. */
int64_t byte_depthwise_order(int64_t index);
int64_t byte_depthwise_column(int64_t channel);

/* Pack weights[channels][taps], and store the sum of each channel, in the order of the columns. */
void byte_depthwise_pack(const int8_t* weights, int64_t channels, int64_t taps, int8_t* packed, int32_t* sums);

/* Compute the results [begin, end), counted over all images. */
void byte_depthwise_run(const byte_depthwise* p, int64_t begin, int64_t end);

#endif
