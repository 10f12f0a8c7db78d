/* What inference of these operators has in common. A length of 0 is unknown, and stays as it is. */
#ifndef OPFORGE_CONV_INFERENCE_H
#define OPFORGE_CONV_INFERENCE_H

#include "settings.h"

/* Beyond this, positions with pads and steps of 31 bits would not fit 64. */
#define CONV_MOST_LENGTH ((int64_t)1 << 60)

/* Give all arrays the one type of those that is known: floating. */
int32_t conv_complete_types(opforge_call* call);

/* Whether `complete` is asked about types, not shapes. */
int conv_is_about_types(const opforge_call* call);

/* Note what is known of a length. */
static inline void conv_note(int64_t* length, int64_t known) {
    if (known != 0) *length = known;
}

/* Make an array one of `ndim` dimensions, unknown as yet if nothing was known of it. */
int32_t conv_expect_ndim(opforge_call* call, const char* name, opforge_tensor* tensor, int32_t ndim);

/* Settle batch and channels of data, weight, bias and output. The weight is the input `weight_at`, and the
 * bias the next one, if there is one. `transposed`: the weight has a filter for each channel of data, as those
 * of Deconvolution have, and num_filter is the rest of it. */
int32_t conv_complete_channels(opforge_call* call, const conv_settings* settings, int weight_at, int transposed);

/* The results along a dimension of data; an error where the filter does not fit. */
int32_t conv_length(opforge_call* call, const conv_settings* settings, int axis, int64_t in, int64_t* out);

#endif
