/* Which data Winograd's convolution may transform. A transform mixes the 36 elements of a tile, so the rounding
 * error of a large element reaches results that do not depend on it, and one that is not finite makes all of a
 * tile's results so. Tiles with such elements are computed directly.
 *
 * A result's error is about 2e-6 |t| |w|, with |t| the largest element of the tile after the transform of its rows
 * and |w| the size of a weight. Results are sums of 9 n products, n being the channels: of the size
 * 3 sqrt(n) |x| |w|, with |x| the size of an element. With |t| <= 3 sqrt(n) |x| errors so stay below 2e-6 of the
 * results' size. Rows of normally distributed data reach 15 |x|: the limit is never below 24 |x|. */
#ifndef OPFORGE_CONVOLUTION_WINOGRAD_RANGE_H
#define OPFORGE_CONVOLUTION_WINOGRAD_RANGE_H

#include "winograd_transforms.h"

/* The typical magnitude of `count` elements, estimated from a sample without its largest ones: their root mean
 * square. */
float wino_size(const float* data, int64_t count);

/* The largest transformed element for which results, sums of `terms` products, are accurate enough. */
float wino_limit(float size, double terms);

/* The largest magnitudes of each lane, as bits, in which infinity and NaN are larger than all others. */
typedef V(mask) magnitudes;

OF_INLINE magnitudes magnitudes_with(magnitudes known, vec x) {
    return V(larger)(known, (magnitudes)x & 0x7fffffff);
}

OF_INLINE int magnitudes_exceed(magnitudes known, float limit) {
    int32_t bits, exceeds = 0;
    memcpy(&bits, &limit, sizeof bits);
    for (int lane = 0; lane < LANES; lane++) exceeds |= known[lane] > bits;
    return exceeds;
}

/* The magnitudes of a transformed row of data: its ends, to which all six elements contribute. */
OF_INLINE magnitudes wino_row_magnitudes(magnitudes known, const vec row[WINO_IN]) {
    return magnitudes_with(magnitudes_with(known, row[0]), row[WINO_IN - 1]);
}

#endif
