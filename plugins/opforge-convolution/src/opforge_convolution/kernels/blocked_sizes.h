/* How work on blocks is divided. */
#ifndef OPFORGE_CONVOLUTION_BLOCKED_SIZES_H
#define OPFORGE_CONVOLUTION_BLOCKED_SIZES_H

#include "block_tile.h"
#include "finish.h"
#include "sizes.h"
#include "tile.h"

/* Parts that the vectors of filters are divided into, where other units do not suffice for each thread to
 * get several. */
FORCE_INLINE int64_t blocked_parts(int64_t vectors, int64_t units, int64_t threads) {
    int64_t wanted = threads == 1 ? 1 : ceil_div(4 * threads, most(units, 1));
    return least(wanted, ceil_div(vectors, TILE_VECTORS));
}

/* The first vector of a part; pairs stay together. */
FORCE_INLINE int64_t blocked_part_begin(int64_t vectors, int64_t part, int64_t parts) {
    return least(ceil_div(vectors, TILE_VECTORS) * part / parts * TILE_VECTORS, vectors);
}

#endif
