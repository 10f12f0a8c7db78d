/* Products of real rows, which are quantized in each call, with weights of 8 or 4 bits. */
#ifndef OPFORGE_QUANTIZATION_DYNAMIC_PRODUCT_H
#define OPFORGE_QUANTIZATION_DYNAMIC_PRODUCT_H

#include <opforge/abi.h>

#include "kernels/byte_dots.h"

/* The product with a weight, whose form the attributes `bits` and `group_size` give; `bias` may be NULL. */
byte_dots product_of(const opforge_call* call, const opforge_tensor* weight, const opforge_tensor* scale,
                     int64_t length, const float* bias);

/* Take memory of the call for the integers of `count` rows. */
int32_t reserve_rows(opforge_call* call, byte_dots* p, int64_t count);

/* Store the products of `count` rows of data, of which memory was taken for as many, in `out`. */
void multiply_rows(opforge_call* call, byte_dots* p, const float* data, int64_t count, float* out);

#endif
