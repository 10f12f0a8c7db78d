/* The interface between the operator (native/) and the kernels (kernels/). */
#ifndef OPFORGE_RNN_H
#define OPFORGE_RNN_H

#include <opforge/abi.h>

enum { RNN_RELU, RNN_TANH, RNN_LSTM, RNN_GRU };

/* Attributes of an operator. */
typedef struct rnn_settings {
    int32_t mode;
    int32_t clips, clips_nan; /* whether cells of an LSTM are clipped to clip_min and clip_max */
    int32_t has_lengths, has_states; /* whether lengths are an input, and the last states outputs */
    int32_t has_reserve;            /* whether an output stores what the gradient reads; without it, nothing is dropped */
    int64_t gates;            /* pre-activations of a cell for each element of its state */
    int64_t layers, directions;
    int64_t size, out;        /* length of a state before and after projection */
    int32_t projects;
    double clip_min, clip_max, p;
} rnn_settings;

/* The attributes and the sizes of one call. */
typedef struct rnn_shape {
    rnn_settings set;
    opforge_dtype dtype;  /* OPFORGE_FLOAT32 or OPFORGE_FLOAT64 */
    int64_t steps, batch, input;
} rnn_shape;

/* -- offsets, in elements -------------------------------------------------------------------------------------- */

/* The parameters of one direction of one layer. */
typedef struct rnn_weights {
    int64_t input;           /* length of the layer's input */
    int64_t i2h, h2h, h2r;   /* (gates * size, input), (gates * size, out), (out, size) */
    int64_t i2h_bias, h2h_bias; /* (gates * size,) each */
} rnn_weights;

rnn_weights rnn_weights_of(const rnn_shape* s, int64_t layer, int64_t direction);

/* The number of parameters; -1 if it overflows 64 bits. */
int64_t rnn_parameters(const rnn_settings* s, int64_t input);

/* The reserve, which forward stores for backward, begins with the dropout key, padded for alignment. */
enum { RNN_KEY = 16 };

/* It then has for each layer: */
typedef struct rnn_reserve {
    int64_t gates;   /* (directions, steps, batch, gates * size): the activated gates */
    int64_t cells;   /* (directions, steps, batch, size): the cells of an LSTM */
    int64_t hidden;  /* the same shape: R h + d for the n of a GRU; states before their projection */
    int64_t above;   /* (steps, batch, directions * out): the states, except for the last layer */
    int64_t dropped; /* the same after dropout; equal to `above` without dropout */
} rnn_reserve;

rnn_reserve rnn_reserve_of(const rnn_shape* s, int64_t layer);

/* The number of elements of the reserve; -1 if it overflows 64 bits, 0 without steps or sequences. */
int64_t rnn_reserve_size(const rnn_shape* s);

static inline int rnn_stores_hidden(const rnn_settings* s) { return s->projects || s->mode == RNN_GRU; }

/* -- the kernels ------------------------------------------------------------------------------------------------ */

/* Arrays of a call; gradients are NULL if they are not wanted or not given. */
typedef struct rnn_arrays {
    const void *data, *parameters, *state, *cell;
    const int64_t* lengths; /* of each sequence; NULL: all steps */
    void *out, *last_state, *last_cell, *reserve; /* `reserve` is NULL in predictions */
    const void *d_out, *d_last_state, *d_last_cell;
    void *d_data, *d_parameters, *d_state, *d_cell;
    char* workspace;
    uint64_t key; /* of dropout; 0: no dropout */
} rnn_arrays;

/* Bytes of workspace. */
int64_t rnn_forward_workspace(const rnn_shape* s);
int64_t rnn_backward_workspace(const rnn_shape* s);

/* Run a pass; there is at least one step and one sequence. */
int32_t rnn_forward(opforge_call* call, const rnn_shape* s, const rnn_arrays* arrays);
int32_t rnn_backward(opforge_call* call, const rnn_shape* s, const rnn_arrays* arrays);

#endif
