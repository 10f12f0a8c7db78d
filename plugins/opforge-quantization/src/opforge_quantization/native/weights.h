/* Ranges of products and biases, for convolution and fully connected layers. */
#ifndef OPFORGE_QUANTIZED_WEIGHTS_H
#define OPFORGE_QUANTIZED_WEIGHTS_H

#include <opforge/abi.h>

/* Fill the range of a layer's int32 sums: that of the product of 2^31 levels of data and weight. */
void set_product_range(opforge_call* call);

/* Return the bias in the levels of the layer's sums, in memory of the call: *bias is NULL without a bias. */
int32_t scaled_bias(opforge_call* call, const int32_t** bias);

#endif
