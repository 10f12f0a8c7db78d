/* Winograd's convolution for filters of 3x3 with stride 1: 4x4 results at a time, from 6x6 elements,
 * with 36 multiplications instead of 144. Data and filters are transformed, multiplied element by
 * element - for all channels and filters 36 matrix products - and transformed back.
 *
 * Rounding errors are larger than those of the plain sum: the README has a table, and a test bounds
 * them. Tiles with elements far larger than the others, or not finite, are computed directly
 * (winograd_range.h). The setting OPFORGE_CONVOLUTION_WINOGRAD=0 disables it. */
#ifndef OPFORGE_CONVOLUTION_WINOGRAD_H
#define OPFORGE_CONVOLUTION_WINOGRAD_H

#include "product.h"
#include "weights.h"

/* Whether the environment allows it. */
int winograd_is_allowed(void);

/* The estimated time relative to that of panels; infinite if the product is not such a convolution or not allowed. */
double winograd_share(const product* p);

/* Whether the product is estimated to be faster this way. */
int winograd_is_faster(const product* p);

/* Whether its transformed weights are far larger than its data. */
int winograd_is_deep(const product* p);

/* Pack the transformed weights of all tiles: groups, then tiles of rows. */
void wino_pack(opforge_call* call, const weight_view* view, float* packed);

/* Pack the transformed weights of one tile of rows: points, then channels. */
void wino_pack_tile(const weight_view* view, int64_t group, int64_t first, int64_t rows, float* packed);

/* Pack the plain weights of one tile of rows: taps, then channels. */
void wino_pack_taps(const weight_view* view, int64_t group, int64_t first, int64_t rows, float* packed);

/* Compute any product, in a workspace of this many elements; */
int64_t winograd_workspace(const product* p);
int32_t winograd_run(opforge_call* call, const product* p, const weight_view* weights, float* workspace);

/* and one that is deep (winograd_is_deep). */
int64_t winograd_deep_workspace(const product* p);
int32_t winograd_deep_run(opforge_call* call, const product* p, const weight_view* weights, float* workspace);

#endif
