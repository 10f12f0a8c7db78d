/* Patches (im2col) of one group of channels of one image: one row per element of the filter, in the order of the
 * weight, and one column per output position. */
#ifndef OPFORGE_CONV_PATCHES_H
#define OPFORGE_CONV_PATCHES_H

#include "conv.h"

/* A block of patches: rows and columns [begin, end). */
typedef struct conv_block {
    int64_t row, row_end, column, column_end;
} conv_block;

/* Whether the data are equal to their patches: a 1x1 filter with stride 1. */
int conv_is_identity(const conv_shape* shape);

/* Write a block of the patches of `data`, row after row; supports 16-bit floats. */
void conv_unfold(const conv_shape* shape, const conv_block* block, const void* data, void* patches);

/* Add a block of patches to their source elements in `data`; does not support 16-bit floats. */
void conv_fold(const conv_shape* shape, const conv_block* block, const void* patches, void* data);

#endif
