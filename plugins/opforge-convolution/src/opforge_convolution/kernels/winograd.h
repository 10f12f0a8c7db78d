/* Winograd's convolution for filters of 3x3 with stride 1: 4x4 results at a time, from 6x6 elements,
 * with 36 multiplications in place of 144. Data and filters are transformed, multiplied element by
 * element - for all channels and filters 36 matrix products - and transformed back.
 *
 * Rounding errors are larger than those of the plain sum: the README has a table, and a test bounds
 * them. The setting OPFORGE_CONVOLUTION_WINOGRAD=0 forbids it. */
#ifndef OPFORGE_CONVOLUTION_WINOGRAD_H
#define OPFORGE_CONVOLUTION_WINOGRAD_H

#include "product.h"
#include "weights.h"

/* Is the product such a convolution, allowed, and estimated to be faster this way? */
int winograd_pays(const product* p);

/* Elements of transformed weights. */
int64_t winograd_count(const weight_view* view);

/* Transform and pack weights: group after group, tile of rows after tile, and in each the 36 elements. */
void winograd_pack(opforge_call* call, const weight_view* view, float* packed);

/* Compute the product, whose weights winograd_pack has packed. */
int32_t winograd_run(opforge_call* call, const product* p);

#endif
