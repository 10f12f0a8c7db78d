/* The call's epilogue on stretches of results that a kernel has just written, while they are in a cache.
 * Steps as they follow a convolution - a bias, scale and shift of channels, the addition of another
 * result, relu, clipping - are done here, all others by opforge, which takes longer to ask. */
#ifndef OPFORGE_CONVOLUTION_FINISH_H
#define OPFORGE_CONVOLUTION_FINISH_H

#include "conv.h"

typedef struct finish {
    opforge_call* call; /* NULL: there is nothing to do */
    const float* results;
    int here; /* its steps are done here */
} finish;

/* The epilogue of results with channels of `plane` places; nothing where `wanted` is 0. `lanes`: of the
 * results in blocks, LANES; 1: they are plain. */
finish finish_of(opforge_call* call, int32_t wanted, const float* results, int64_t plane, int64_t lanes);

/* Take `n` results from `y` on, of one channel or block of channels, through the epilogue. */
void finish_run(const finish* f, float* y, int64_t n);

/* That of results that are stored as rows of `n`, `row` elements apart. */
static inline void finish_rows(const finish* f, float* y, int64_t rows, int64_t row, int64_t n) {
    for (int64_t r = 0; f->call != NULL && r < rows; r++) finish_run(f, y + r * row, n);
}

#endif
