/* Attributes of a sliding filter, shared by all operators here, parsed and validated once. */
#ifndef OPFORGE_CONV_SETTINGS_H
#define OPFORGE_CONV_SETTINGS_H

#include "conv.h"

/* Arrays with a number for each spatial dimension are aligned at the end; leading dimensions have length 1. */
typedef struct conv_settings {
    int32_t dims;          /* number of spatial dimensions */
    int32_t channels_last;
    conv_form form;
    int64_t filters, groups;
    int64_t kernel[CONV_DIMS], stride[CONV_DIMS], dilate[CONV_DIMS], pad[CONV_DIMS];
} conv_settings;

/* `create` and `destroy` of operators without further state. */
int32_t conv_create(opforge_call* call);
int32_t conv_destroy(opforge_call* call);

/* Read the settings, for `least` to `most` spatial dimensions. */
int32_t conv_read_settings(opforge_call* call, int32_t least, int32_t most, conv_settings* settings);

/* The channels per block of the data of a blocked form; those of plain data are separate blocks. */
static inline int64_t conv_lanes_of_data(const opforge_tensor* data) { return data->ndim == 5 ? data->shape[4] : 1; }

/* The value of the attribute `blocked` for a form; NULL for CONV_PLAIN. */
const char* conv_form_name(conv_form form);

/* Read an attribute with one number per spatial dimension; for (), all are `other`. */
int32_t conv_read_lengths(opforge_call* call, const char* name, int32_t dims, int64_t other, int64_t* lengths);

/* The extent of a filter in a dimension, including dilation. */
static inline int64_t conv_reach(const conv_settings* s, int axis) {
    return (s->kernel[axis] - 1) * s->dilate[axis] + 1;
}

/* The axis of an array's channels, and that of spatial dimension `axis` of three; -1: absent. */
static inline int conv_channel_axis(const conv_settings* s) { return s->channels_last ? s->dims + 1 : 1; }
static inline int conv_space_axis(const conv_settings* s, int axis) {
    int missing = CONV_DIMS - s->dims;
    return axis < missing ? -1 : axis - missing + (s->channels_last ? 1 : 2);
}

/* The sizes of the convolution from `data` to `out`, with the data's type. */
conv_shape conv_shape_of(const conv_settings* settings, const opforge_tensor* data, const opforge_tensor* out);

#endif
