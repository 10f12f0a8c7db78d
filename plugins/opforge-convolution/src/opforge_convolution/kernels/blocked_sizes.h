/* Division of work on blocks. */
#ifndef OPFORGE_CONVOLUTION_BLOCKED_SIZES_H
#define OPFORGE_CONVOLUTION_BLOCKED_SIZES_H

#include "block_tile.h"
#include "finish.h"
#include "sizes.h"
#include "tile.h"

/* Allocate the index of the data in each worker's scratch memory, initially -1. A worker computes adjacent units in
 * order, and these often read the same data. Return NULL if out of memory. */
static inline int64_t* held_by_workers(opforge_call* call, int64_t threads) {
    int64_t* held = (int64_t*)call->host->scratch(call, threads * (int64_t)sizeof *held);
    for (int64_t worker = 0; held != NULL && worker < threads; worker++) held[worker] = -1;
    return held;
}

/* The number of parts to divide the vectors of filters into, if other units do not give each thread several. */
OF_INLINE int64_t blocked_parts(int64_t vectors, int64_t units, int64_t threads) {
    int64_t wanted = threads == 1 ? 1 : ceil_div(4 * threads, max64(units, 1));
    return min64(wanted, ceil_div(vectors, TILE_VECTORS));
}

/* The first vector of a part; pairs are not split. */
OF_INLINE int64_t blocked_part_begin(int64_t vectors, int64_t part, int64_t parts) {
    return min64(ceil_div(vectors, TILE_VECTORS) * part / parts * TILE_VECTORS, vectors);
}

#endif
