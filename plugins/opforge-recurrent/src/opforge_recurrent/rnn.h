/* What RNN has computed: the border between the operator (native/) and the kernels (kernels/). */
#ifndef OPFORGE_RNN_H
#define OPFORGE_RNN_H

#include <opforge/abi.h>

enum { RNN_RELU, RNN_TANH, RNN_LSTM, RNN_GRU };

/* The attributes of an operator. */
typedef struct rnn_settings {
    int32_t mode;
    int32_t clips, clips_nan; /* the cells of an LSTM, to clip_min and clip_max */
    int32_t has_lengths, has_states; /* an input with lengths; outputs with the last states */
    int32_t keeps;            /* what a gradient reads, in an output; else nothing is dropped either */
    int64_t gates;            /* sums that a cell makes for each element of its state */
    int64_t layers, directions;
    int64_t size, out;        /* of a state without projection, and with it */
    int32_t projects;
    double clip_min, clip_max, p;
} rnn_settings;

/* And with them the sizes of one call. */
typedef struct rnn_shape {
    rnn_settings set;
    int32_t dtype;  /* OPFORGE_FLOAT32 or OPFORGE_FLOAT64 */
    int64_t steps, batch, input;
} rnn_shape;

/* -- where things are, in elements ------------------------------------------------------------------------- */

/* The parameters of one direction of one layer. */
typedef struct rnn_weights {
    int64_t input;           /* length of what the layer reads */
    int64_t i2h, h2h, h2r;   /* (gates * size, input), (gates * size, out), (out, size) */
    int64_t i2h_bias, h2h_bias; /* (gates * size,) each */
} rnn_weights;

rnn_weights rnn_weights_of(const rnn_shape* s, int64_t layer, int64_t direction);

/* How many there are; -1: more than 64 bits count. */
int64_t rnn_parameters(const rnn_settings* s, int64_t input);

/* What forward keeps for backward begins with the dropout's key, and what aligns the rest. */
enum { RNN_KEY = 16 };

/* And then has, of each layer: */
typedef struct rnn_kept {
    int64_t gates;   /* (directions, steps, batch, gates * size): what became of the sums */
    int64_t cells;   /* (directions, steps, batch, size): of an LSTM */
    int64_t hidden;  /* the same: R h + d of a GRU's n; the state before its projection */
    int64_t above;   /* (steps, batch, directions * out): the states, but of the last layer */
    int64_t dropped; /* the same, as the next layer gets it; `above` where nothing is dropped */
} rnn_kept;

rnn_kept rnn_kept_of(const rnn_shape* s, int64_t layer);

/* How many elements that are; -1: more than 64 bits count. 0 where there are no steps or sequences. */
int64_t rnn_kept_size(const rnn_shape* s);

static inline int rnn_keeps_hidden(const rnn_settings* s) { return s->projects || s->mode == RNN_GRU; }

/* -- the kernels ------------------------------------------------------------------------------------------------ */

/* The arrays of a call; those of a gradient are NULL where they are not wanted, or not given. */
typedef struct rnn_arrays {
    const void *data, *parameters, *state, *cell;
    const int64_t* lengths; /* of each sequence; NULL: all steps */
    void *out, *last_state, *last_cell, *kept; /* `kept` is NULL where nothing is */
    const void *d_out, *d_last_state, *d_last_cell;
    void *d_data, *d_parameters, *d_state, *d_cell;
    char* workspace;
    uint64_t key; /* of dropout; 0: nothing is dropped */
} rnn_arrays;

/* Bytes of workspace. */
int64_t rnn_forward_workspace(const rnn_shape* s);
int64_t rnn_backward_workspace(const rnn_shape* s);

/* There are steps and sequences. */
int32_t rnn_forward(opforge_call* call, const rnn_shape* s, const rnn_arrays* arrays);
int32_t rnn_backward(opforge_call* call, const rnn_shape* s, const rnn_arrays* arrays);

#endif
