/* Patches of a picture whose elements are taken from moved places, between the pixels: by bilinear
 * interpolation. float32 and float64; in two dimensions of space, which are the last. */
#ifndef OPFORGE_CONV_SAMPLING_H
#define OPFORGE_CONV_SAMPLING_H

#include "patches.h"

/* How the places of one picture are moved. */
typedef struct conv_field {
    const void* offset;  /* (groups, taps, 2, places): how far down, and how far to the right */
    const void* mask;    /* (groups, taps, places), which multiplies what is taken; or NULL */
    int64_t groups;      /* of channels that move together */
    int64_t channels;    /* of a group */
    int is_padded;       /* pixels around the picture are 0; else its last row and column are repeated once */
} conv_field;

/* Bytes of scratch memory for `columns` places and so many channels. */
int64_t conv_sampling_bytes(int64_t columns, int64_t channels);

/* Write the patches of channels [begin, end) of a picture at the places of a block, (places, taps, channels);
 * in `pixels`, the picture, they lie innermost too. */
void conv_sample(const conv_shape* shape, const conv_field* field, const conv_block* block, int64_t begin,
                 int64_t end, const void* pixels, void* scratch, void* patches);

/* Where the gradients of a picture, of its offsets and of its mask are added to; NULL if not wanted. */
typedef struct conv_moved {
    void *data, *offset, *mask;
} conv_moved;

/* Add what follows from the gradient of patches that lie as the weight does, (channels, taps, places); of
 * `data`, a picture. */
void conv_unsample(const conv_shape* shape, const conv_field* field, const conv_block* block, int64_t begin,
                   int64_t end, const void* data, void* scratch, const void* patches, const conv_moved* grads);

#endif
