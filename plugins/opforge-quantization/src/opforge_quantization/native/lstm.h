/* Sizes and weights of layers of LSTM cells, as `quantized_rnn` computes them. */
#ifndef OPFORGE_QUANTIZED_LSTM_H
#define OPFORGE_QUANTIZED_LSTM_H

#include <opforge/abi.h>

enum { GATES = 4 }; /* input, forget, candidate, output */

typedef struct lstm {
    int64_t steps, n, in, state, layers, directions;
    float scale, shift; /* of data and states in uint8 */
} lstm;

/* Weights of one direction of one layer. */
typedef struct cell {
    const float *weight, *recurrent, *bias, *recurrent_bias;
    int64_t in;
} cell;

/* The length of the input of a layer. */
static inline int64_t width_of(const lstm* l, int64_t layer) { return layer == 0 ? l->in : l->directions * l->state; }

/* Find the weights of a direction of a layer in the vector of all of them. */
cell cell_at(const lstm* l, const float* parameters, int64_t layer, int64_t direction);

/* For each row of the weights, the factor that converts all weights in it to int8. */
void weight_scales(const lstm* l, const float* parameters, float* scales);

#endif
