/* A sublayer: one direction of one layer, with its sizes, parameters and arrays. Included once for each type. */

typedef struct NAME(sublayer) {
    opforge_call* call;
    const rnn_shape* s;
    const int64_t* lengths;
    int64_t direction, input;
    int64_t width; /* gates * size, the length of the sums of one sequence */
    int64_t row;   /* elements between consecutive states of the layer, which contains both directions */
    int64_t buffered;  /* number of steps whose sums are stored */
    const T *i2h, *h2h, *h2r, *i2h_bias, *h2h_bias;
    const T *x, *first_state, *first_cell;
    T *gates, *cells, *hidden, *y, *bias;
    const T* dy; /* NULL: 0 */
    T *d_gates, *d_recurrent, *d_first, *d_state, *d_cell, *d_out, *d_hidden;
} NAME(sublayer);

typedef struct NAME(layer_arrays) {
    const T* below; /* the layer's input */
    T *gates, *cells, *hidden, *above;
} NAME(layer_arrays);

/* -- arrays of a layer ---------------------------------------------------------------------------------------- */

static NAME(layer_arrays) NAME(reserve_arrays)(const rnn_shape* s, const rnn_arrays* a, int64_t layer) {
    rnn_reserve k = rnn_reserve_of(s, layer);
    T* reserve = (T*)a->reserve;
    NAME(layer_arrays) l = {NULL, reserve + k.gates, reserve + k.cells, reserve + k.hidden, reserve + k.above};
    if (layer > 0) l.below = reserve + rnn_reserve_of(s, layer - 1).dropped;
    return l;
}

static NAME(layer_arrays) NAME(workspace_arrays)(const rnn_arrays* a, const workspace_layout* r, int64_t layer) {
    T* work = (T*)a->workspace;
    return (NAME(layer_arrays)){work + r->above[(layer + 1) % 2], work + r->gates, work + r->cells, work + r->hidden,
                                work + r->above[layer % 2]};
}

static NAME(sublayer) NAME(sublayer_of)(opforge_call* call, const rnn_shape* shape, const rnn_arrays* a, const workspace_layout* layout,
                                    int64_t layer, int64_t direction) {
    const rnn_settings* s = &shape->set;
    rnn_weights w = rnn_weights_of(shape, layer, direction);
    int64_t rows = shape->steps * shape->batch, first = (layer * s->directions + direction) * shape->batch;
    const T* parameters = (const T*)a->parameters;
    T* work = (T*)a->workspace;
    NAME(sublayer) d = {call, shape, a->lengths, direction, w.input};
    d.width = s->gates * s->size;
    d.row = s->directions * s->out;
    d.i2h = parameters + w.i2h;
    d.h2h = parameters + w.h2h;
    d.h2r = parameters + w.h2r;
    d.i2h_bias = parameters + w.i2h_bias;
    d.h2h_bias = parameters + w.h2h_bias;
    d.first_state = (const T*)a->state + first * s->out;
    d.first_cell = a->cell == NULL ? NULL : (const T*)a->cell + first * s->size;
    d.buffered = buffered_steps(shape, w.input);
    NAME(layer_arrays) l = s->has_reserve ? NAME(reserve_arrays)(shape, a, layer) : NAME(workspace_arrays)(a, layout, layer);
    d.x = layer == 0 ? (const T*)a->data : l.below;
    d.gates = l.gates + direction * d.buffered * shape->batch * d.width;
    d.cells = l.cells + direction * rows * s->size;
    d.hidden = l.hidden + direction * d.buffered * shape->batch * s->size;
    d.y = (layer == s->layers - 1 ? (T*)a->out : l.above) + direction * s->out;
    d.bias = work + layout->bias[direction];
    d.d_gates = work + layout->d_gates[direction];
    d.d_recurrent = work + layout->d_recurrent[direction];
    d.d_first = work + layout->d_first[direction];
    d.d_state = work + layout->d_state[direction];
    d.d_cell = work + layout->d_cell[direction];
    d.d_out = work + layout->d_out[direction];
    d.d_hidden = work + layout->d_hidden[direction];
    return d;
}

/* -- steps: a sublayer runs through the steps of the data forward or backward ----------------------------------- */

OF_INLINE int64_t NAME(step)(const NAME(sublayer) * d, int64_t i) { return d->direction ? d->s->steps - 1 - i : i; }

/* The slot of step t in the ring buffer of stored steps; consecutive steps have consecutive slots until it wraps. */
OF_INLINE int64_t NAME(slot)(const NAME(sublayer) * d, int64_t t) {
    int64_t i = NAME(step)(d, t) % d->buffered; /* of step t, the sublayer's i-th */
    return d->direction ? d->buffered - 1 - i : i;
}

OF_INLINE int64_t NAME(length)(const NAME(sublayer) * d, int64_t n) {
    return d->lengths == NULL ? d->s->steps : d->lengths[n];
}

/* Whether t is the first step of a sequence in this direction. */
OF_INLINE int NAME(is_first_step)(const NAME(sublayer) * d, int64_t t, int64_t n) {
    return t == (d->direction ? NAME(length)(d, n) - 1 : 0);
}

/* The row of an array of (steps, batch, length) at the step before t, or the initial value. */
OF_INLINE const T* NAME(previous)(const NAME(sublayer) * d, const T* array, int64_t row, const T* first, int64_t length,
                                  int64_t t, int64_t n) {
    if (NAME(is_first_step)(d, t, n)) return first + n * length;
    return array + ((t + (d->direction ? 1 : -1)) * d->s->batch + n) * row;
}

/* The states of all sequences before the sublayer's i-th step, `row` elements apart. For a sequence read backward
 * that has ended, they are its initial state. */
OF_INLINE const T* NAME(previous_states)(const NAME(sublayer) * d, int64_t i, int64_t* row) {
    *row = i == 0 ? d->s->set.out : d->row;
    return i == 0 ? d->first_state : d->y + NAME(step)(d, i - 1) * d->s->batch * d->row;
}

/* -- products ---------------------------------------------------------------------------------------------------------- */

/* c = a b + beta c; rows of a and of c are `a_row` and `c_row` elements apart. */
static int32_t NAME(multiply)(opforge_call* call, int64_t m, int64_t n, int64_t k, const T* a, int64_t a_row,
                              const T* b, int transpose_b, T* c, int64_t c_row, double beta) {
    opforge_gemm product = opforge_matmul(DTYPE, m, n, k, a, b, c);
    product.a_row = a_row;
    product.c_row = c_row;
    product.transpose_b = transpose_b;
    product.beta = beta;
    return call->host->gemm(call, &product);
}

/* c = a^T b + beta c, over k rows of a and b. */
static int32_t NAME(correlate)(opforge_call* call, int64_t m, int64_t n, int64_t k, const T* a, const T* b,
                               int64_t b_row, T* c, double beta) {
    opforge_gemm product = opforge_matmul(DTYPE, m, n, k, a, b, c);
    product.transpose_a = 1;
    product.b_row = b_row;
    product.beta = beta;
    return call->host->gemm(call, &product);
}
