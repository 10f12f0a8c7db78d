/* Filters as the kernels for bytes need them: quantized, each with a scale, and packed, in one block of memory. */
#ifndef OPFORGE_QUANTIZATION_PACKED_FILTERS_H
#define OPFORGE_QUANTIZATION_PACKED_FILTERS_H

#include <stddef.h>
#include <stdint.h>

/* The sizes of (filters, channels / groups, ...) and the layout of the packed block. */
typedef struct filter_sizes {
    int64_t groups, filters, channels, taps; /* filters and channels of a group */
    int is_depthwise;                        /* each channel has one filter */
    int64_t padded;                          /* elements of the arrays of columns, of a group; depthwise: of all */
    int64_t packed;                          /* bytes of the filters, of a group; depthwise: of all */
    int64_t byte_size;                       /* of the block */
} filter_sizes;

/* Pointers into a packed block, of the first group. */
typedef struct packed_filters {
    float* scales;    /* quantized = real * scale */
    int32_t* sums;    /* of the quantized numbers of each filter */
    int8_t* weights;
} packed_filters;

/* Set the sizes; 0 if they exceed the address space. */
int filter_sizes_of(int64_t filters, int64_t channels, int64_t taps, int64_t groups, filter_sizes* sizes);

packed_filters packed_filters_at(const filter_sizes* sizes, void* block);

/* The index of a filter, counted over all groups, in the arrays of columns. */
int64_t filter_column(const filter_sizes* sizes, int64_t filter);

/* Quantize and pack the filters; `memory` holds channels * taps bytes for each filter. */
void pack_filters(const filter_sizes* sizes, const float* weights, int8_t* memory, void* block);

/* Pack integers, with factors of 1. */
void pack_integers(const filter_sizes* sizes, const int8_t* weights, int8_t* memory, void* block);

#endif
