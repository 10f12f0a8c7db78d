/* Winograd's convolution for filters of 3x3 with stride 1: 4x4 results at a time, from 6x6 elements,
 * with 36 multiplications in place of 144. Data and filters are transformed, multiplied element by
 * element - for all channels and filters 36 matrix products - and transformed back.
 *
 * Rounding errors are larger than those of the plain sum: the README has a table, and a test bounds
 * them. Tiles with elements far larger than the others, or not finite, are computed directly
 * (winograd_range.h). The setting OPFORGE_CONVOLUTION_WINOGRAD=0 forbids it. */
#ifndef OPFORGE_CONVOLUTION_WINOGRAD_H
#define OPFORGE_CONVOLUTION_WINOGRAD_H

#include "product.h"
#include "weights.h"

/* Is it not forbidden? */
int winograd_is_allowed(void);

/* Is the product such a convolution, allowed, and estimated to be faster this way? */
int winograd_pays(const product* p);

/* Are its weights, transformed, far larger than its data? */
int winograd_is_deep(const product* p);

/* Pack the transformed weights of all tiles: group after group, tile of rows after tile. */
void wino_pack(opforge_call* call, const weight_view* view, float* packed);

/* One tile of rows: point after point, in each channel after channel. */
void wino_pack_tile(const weight_view* view, int64_t group, int64_t first, int64_t rows, float* packed);

/* The weights of one tile of rows as they are: tap after tap, in each channel after channel. */
void wino_pack_taps(const weight_view* view, int64_t group, int64_t first, int64_t rows, float* packed);

/* Compute the product in a workspace of so many elements: any one, */
int64_t winograd_workspace(const product* p);
int32_t winograd_run(opforge_call* call, const product* p, const weight_view* weights, float* workspace);

/* and one that is deep. */
int64_t winograd_deep_workspace(const product* p);
int32_t winograd_deep_run(opforge_call* call, const product* p, const weight_view* weights, float* workspace);

#endif
