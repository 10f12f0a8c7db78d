/* One direction of one layer: its sizes, parameters and arrays. Included once for each type. */

typedef struct NAME(strand) {
    opforge_call* call;
    const rnn_shape* s;
    const int64_t* lengths;
    int64_t direction, input;
    int64_t width; /* of the sums of one sequence: gates * size */
    int64_t row;   /* from one state of the layer to the next, those of the other direction between them */
    int64_t held;  /* steps whose sums there is memory for */
    const T *i2h, *h2h, *h2r, *i2h_bias, *h2h_bias;
    const T *x, *first_state, *first_cell;
    T *gates, *cells, *hidden, *y, *bias;
    const T* dy; /* NULL: 0 */
    T *d_gates, *d_recurrent, *d_first, *d_state, *d_cell, *d_out, *d_hidden;
} NAME(strand);

typedef struct NAME(layer_arrays) {
    const T* below; /* what the layer reads */
    T *gates, *cells, *hidden, *above;
} NAME(layer_arrays);

/* -- where a layer's arrays begin ---------------------------------------------------------------------------------- */

static NAME(layer_arrays) NAME(arrays_kept)(const rnn_shape* s, const rnn_arrays* a, int64_t layer) {
    rnn_kept k = rnn_kept_of(s, layer);
    T* kept = (T*)a->kept;
    NAME(layer_arrays) l = {NULL, kept + k.gates, kept + k.cells, kept + k.hidden, kept + k.above};
    if (layer > 0) l.below = kept + rnn_kept_of(s, layer - 1).dropped;
    return l;
}

static NAME(layer_arrays) NAME(arrays_worked_in)(const rnn_arrays* a, const rooms* r, int64_t layer) {
    T* work = (T*)a->workspace;
    return (NAME(layer_arrays)){work + r->above[(layer + 1) % 2], work + r->gates, work + r->cells, work + r->hidden,
                                work + r->above[layer % 2]};
}

static NAME(strand) NAME(strand_of)(opforge_call* call, const rnn_shape* shape, const rnn_arrays* a, const rooms* room,
                                    int64_t layer, int64_t direction) {
    const rnn_settings* s = &shape->set;
    rnn_weights w = rnn_weights_of(shape, layer, direction);
    int64_t rows = shape->steps * shape->batch, first = (layer * s->directions + direction) * shape->batch;
    const T* parameters = (const T*)a->parameters;
    T* work = (T*)a->workspace;
    NAME(strand) d = {call, shape, a->lengths, direction, w.input};
    d.width = s->gates * s->size;
    d.row = s->directions * s->out;
    d.i2h = parameters + w.i2h;
    d.h2h = parameters + w.h2h;
    d.h2r = parameters + w.h2r;
    d.i2h_bias = parameters + w.i2h_bias;
    d.h2h_bias = parameters + w.h2h_bias;
    d.first_state = (const T*)a->state + first * s->out;
    d.first_cell = a->cell == NULL ? NULL : (const T*)a->cell + first * s->size;
    d.held = steps_held(shape, w.input);
    NAME(layer_arrays) l = s->keeps ? NAME(arrays_kept)(shape, a, layer) : NAME(arrays_worked_in)(a, room, layer);
    d.x = layer == 0 ? (const T*)a->data : l.below;
    d.gates = l.gates + direction * d.held * shape->batch * d.width;
    d.cells = l.cells + direction * rows * s->size;
    d.hidden = l.hidden + direction * d.held * shape->batch * s->size;
    d.y = (layer == s->layers - 1 ? (T*)a->out : l.above) + direction * s->out;
    d.bias = work + room->bias[direction];
    d.d_gates = work + room->d_gates[direction];
    d.d_recurrent = work + room->d_recurrent[direction];
    d.d_first = work + room->d_first[direction];
    d.d_state = work + room->d_state[direction];
    d.d_cell = work + room->d_cell[direction];
    d.d_out = work + room->d_out[direction];
    d.d_hidden = work + room->d_hidden[direction];
    return d;
}

/* -- steps: the strand's i-th is one of the data, and the one before it another ----------------------------------- */

FORCE_INLINE int64_t NAME(step)(const NAME(strand) * d, int64_t i) { return d->direction ? d->s->steps - 1 - i : i; }

/* Where step t lies among the steps that are held; those that follow each other do so there, until all are used. */
FORCE_INLINE int64_t NAME(place)(const NAME(strand) * d, int64_t t) {
    int64_t i = NAME(step)(d, t) % d->held; /* of the strand's i-th step, which is t */
    return d->direction ? d->held - 1 - i : i;
}

FORCE_INLINE int64_t NAME(length)(const NAME(strand) * d, int64_t n) {
    return d->lengths == NULL ? d->s->steps : d->lengths[n];
}

/* Whether the strand begins a sequence with step t. */
FORCE_INLINE int NAME(begins)(const NAME(strand) * d, int64_t t, int64_t n) {
    return t == (d->direction ? NAME(length)(d, n) - 1 : 0);
}

/* An array of (steps, batch, length) at the step before t, or what a sequence begins with. */
FORCE_INLINE const T* NAME(before)(const NAME(strand) * d, const T* array, int64_t row, const T* first, int64_t length,
                                   int64_t t, int64_t n) {
    if (NAME(begins)(d, t, n)) return first + n * length;
    return array + ((t + (d->direction ? 1 : -1)) * d->s->batch + n) * row;
}

/* The states before the strand's i-th step, of all sequences, `row` elements apart. Where a sequence that is read
 * backwards has ended, they are what it begins with. */
FORCE_INLINE const T* NAME(states_before)(const NAME(strand) * d, int64_t i, int64_t* row) {
    *row = i == 0 ? d->s->set.out : d->row;
    return i == 0 ? d->first_state : d->y + NAME(step)(d, i - 1) * d->s->batch * d->row;
}

/* -- products ---------------------------------------------------------------------------------------------------------- */

/* c = a b + beta c; the rows of c are `c_row` elements apart, as are those of a. */
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
