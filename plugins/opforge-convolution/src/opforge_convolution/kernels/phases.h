/* Phases of the gradient of data: data positions a stride apart use the same taps, so that each phase is a product
 * with stride 1 of the results' gradient and the reversed filter. */
#ifndef OPFORGE_CONVOLUTION_PHASES_H
#define OPFORGE_CONVOLUTION_PHASES_H

#include "conv.h"
#include "image_view.h"
#include "weights.h"

/* A phase in one dimension: data positions `first`, `first` + stride, ... use the taps `tap`, `tap` + `tap_step`,
 * ... at the results `out`, `out` - `out_step`, ..., each one result further on. */
typedef struct phase {
    int64_t first, positions;
    int64_t tap, tap_step, taps;
    int64_t out, out_step;
} phase;

/* The phase of the data positions `first`, `first` + stride, ... along an axis. */
phase phase_of(const conv_shape* s, int axis, int64_t first);

/* Whether a pair of phases has data and taps. */
static inline int phases_exist(const phase* y, const phase* x) {
    return y->taps > 0 && x->taps > 0 && y->positions > 0 && x->positions > 0;
}

/* Fill the positions of the gradient of data that no tap reads: with the bias of their channel, or 0. All others are
 * filled too, if there are such. */
void phases_fill(const conv_shape* s, const void* bias, void* data);

/* The view of the results from a phase's data, without data: the last tap first, so that both advance in the same
 * direction. */
image_view phase_view(const conv_shape* s, const phase* y, const phase* x);

/* The view of the weights, without data, and the index of its first element. */
weight_view phase_weights(const conv_shape* s, const phase* y, const phase* x);
int64_t phase_first_weight(const conv_shape* s, const phase* y, const phase* x);

#endif
