/* How a filter slides: the attributes that all operators here share, read and checked once. */
#ifndef OPFORGE_CONV_SETTINGS_H
#define OPFORGE_CONV_SETTINGS_H

#include "conv.h"

/* Numbers for each dimension of space are written from the end: the leading ones are those of a
 * dimension of length 1. */
typedef struct conv_settings {
    int32_t dims;          /* of space */
    int32_t channels_last;
    int32_t blocked;        /* arrays are in blocks, as conv.h has them */
    int32_t is_transformed; /* and the weight's are transformed */
    int64_t filters, groups;
    int64_t kernel[CONV_DIMS], stride[CONV_DIMS], dilate[CONV_DIMS], pad[CONV_DIMS];
} conv_settings;

/* `create` and `destroy` of operators that have no more than these in their state. */
int32_t conv_create(opforge_call* call);
int32_t conv_destroy(opforge_call* call);

/* Fill in the settings, of `least` to `most` dimensions of space. */
int32_t conv_read_settings(opforge_call* call, int32_t least, int32_t most, conv_settings* settings);

/* Read an attribute of one number for each dimension of space. Where it is (), they are `other`. */
int32_t conv_read_lengths(opforge_call* call, const char* name, int32_t dims, int64_t other, int64_t* lengths);

/* How far a filter reaches in a dimension, its holes included. */
static inline int64_t conv_reach(const conv_settings* s, int axis) {
    return (s->kernel[axis] - 1) * s->dilate[axis] + 1;
}

/* Where an array's channels are, and its dimension `axis` of the three of space; -1: it has none. */
static inline int conv_channel_axis(const conv_settings* s) { return s->channels_last ? s->dims + 1 : 1; }
static inline int conv_space_axis(const conv_settings* s, int axis) {
    int missing = CONV_DIMS - s->dims;
    return axis < missing ? -1 : axis - missing + (s->channels_last ? 1 : 2);
}

/* The sizes of the convolution of `data` to `out`, with data's type. */
conv_shape conv_shape_of(const conv_settings* settings, const opforge_tensor* data, const opforge_tensor* out);

#endif
