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

/* The size of most of `count` elements, by a sample of them and but for its largest: their root mean square. */
float wino_size(const float* data, int64_t count);

/* The largest element of transformed rows whose results, sums of `terms` products, are exact enough. */
float wino_limit(float size, double terms);

/* The largest magnitudes of each lane, as bits: those of infinity and nan are larger than all others. */
typedef int32_t magnitudes __attribute__((vector_size(4 * LANES)));

FORCE_INLINE magnitudes magnitudes_with(magnitudes known, vec x) {
    magnitudes bits = (magnitudes)x & 0x7fffffff;
#if defined(__AVX512F__)
    return (magnitudes)_mm512_max_epi32((__m512i)known, (__m512i)bits);
#elif defined(__AVX2__)
    return (magnitudes)_mm256_max_epi32((__m256i)known, (__m256i)bits);
#else
    magnitudes is_larger = bits > known;
    return (bits & is_larger) | (known & ~is_larger);
#endif
}

FORCE_INLINE int magnitudes_exceed(magnitudes known, float limit) {
    int32_t bits, exceeds = 0;
    memcpy(&bits, &limit, sizeof bits);
    for (int lane = 0; lane < LANES; lane++) exceeds |= known[lane] > bits;
    return exceeds;
}

/* Those of a transformed row of the data: its ends, to which all six elements contribute. */
FORCE_INLINE magnitudes wino_row_magnitudes(magnitudes known, const vec row[WINO_IN]) {
    return magnitudes_with(magnitudes_with(known, row[0]), row[WINO_IN - 1]);
}

#endif
