/* Patches of an image with elements sampled bilinearly at displaced positions, in float32 and float64. There are
 * two spatial dimensions, the last ones. */
#ifndef OPFORGE_CONV_SAMPLING_H
#define OPFORGE_CONV_SAMPLING_H

#include "patches.h"

/* The displacements of the sampling positions of one image. */
typedef struct conv_field {
    const void* offset;  /* (groups, taps, 2, positions): offsets down and to the right */
    const void* mask;    /* (groups, taps, positions): factors of the samples; or NULL */
    int64_t groups;      /* deformable groups */
    int64_t channels;    /* of a group */
    int is_padded;       /* whether pixels around the image are 0; otherwise the last row and column are repeated once */
} conv_field;

/* Bytes of scratch memory for `columns` positions and `channels` channels. */
int64_t conv_sampling_bytes(int64_t columns, int64_t channels);

/* Write the patches of channels [begin, end) of an image at the positions of a block, as (positions, taps, channels);
 * `pixels`, the image, has its channels innermost too. */
void conv_sample(const conv_shape* shape, const conv_field* field, const conv_block* block, int64_t begin,
                 int64_t end, const void* pixels, void* scratch, void* patches);

/* Destinations of the gradients of an image, of its offsets and of its mask; NULL if not wanted. */
typedef struct conv_field_grads {
    void *data, *offset, *mask;
} conv_field_grads;

/* Add the gradients that follow from that of patches in the order of the weight, (channels, taps, positions); `data`
 * is an image. */
void conv_unsample(const conv_shape* shape, const conv_field* field, const conv_block* block, int64_t begin,
                   int64_t end, const void* data, void* scratch, const void* patches, const conv_field_grads* grads);

#endif
