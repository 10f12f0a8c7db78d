/* Shared parts of the operators' inference. A length 0 is unknown and stays unchanged. */
#ifndef OPFORGE_CONV_INFERENCE_H
#define OPFORGE_CONV_INFERENCE_H

#include "settings.h"

/* Larger lengths could overflow 64 bits with pads and strides of 31 bits. */
#define CONV_MAX_LENGTH ((int64_t)1 << 60)

/* Complete the types: all arrays have the one known floating type. */
int32_t conv_complete_types(opforge_call* call);

/* Whether `complete` is called for types, not for shapes. */
int conv_is_about_types(const opforge_call* call);

/* Update a length if it is known. */
static inline void conv_update_length(int64_t* length, int64_t known) {
    if (known != 0) *length = known;
}

/* Check that an array has `ndim` dimensions, or give it that many unknown ones. */
int32_t conv_expect_ndim(opforge_call* call, const char* name, opforge_tensor* tensor, int32_t ndim);

/* Complete batch and channels of data, weight, bias and output. The weight is input `weight_at`, and the bias, if
 * present, the next one. `transposed`: the weight has a filter for each channel of data, as in Deconvolution, and
 * num_filter is its other dimension. */
int32_t conv_complete_channels(opforge_call* call, const conv_settings* settings, int weight_at, int transposed);

/* Compute the output length along a dimension of data; an error if the kernel does not fit. */
int32_t conv_length(opforge_call* call, const conv_settings* settings, int axis, int64_t in, int64_t* out);

#endif
