/* Patches: a row for each element under a filter, in the order of the weight, and a column for each
 * place of the filter. For the channels of one group of one picture. */
#ifndef OPFORGE_CONV_PATCHES_H
#define OPFORGE_CONV_PATCHES_H

#include "conv.h"

/* Rows and columns of the patches that are taken: [begin, end) of each. */
typedef struct conv_block {
    int64_t row, row_end, column, column_end;
} conv_block;

/* Whether the data are their own patches: a filter of one element that moves by one. */
int conv_is_plain(const conv_shape* shape);

/* Write a block of the patches of `data`, its rows one after the other; of float16 too. */
void conv_unfold(const conv_shape* shape, const conv_block* block, const void* data, void* patches);

/* Add a block of patches to where they come from in `data`; not of float16. */
void conv_fold(const conv_shape* shape, const conv_block* block, const void* patches, void* data);

#endif
