/* The forward pass. Included once for each type. */

/* The recurrent bias of a GRU's n is multiplied by r, with what it stands beside. */
static void NAME(add_biases)(const NAME(strand) * d) {
    const rnn_settings* s = &d->s->set;
    int64_t both = s->mode == RNN_GRU ? 2 * s->size : d->width;
    for (int64_t i = 0; i < d->width; i++) d->bias[i] = d->i2h_bias[i] + (i < both ? d->h2h_bias[i] : 0);
}

/* The sums of all steps begin with what the data give, and the biases. */
static int32_t NAME(begin_sums)(const NAME(strand) * d) {
    opforge_gemm product =
        opforge_matmul(DTYPE, d->s->steps * d->s->batch, d->width, d->input, d->x, d->i2h, d->gates);
    product.transpose_b = 1;
    product.bias = d->bias;
    return d->call->host->gemm(d->call, &product);
}

/* Add what the state before gives to the sums of step t. */
static int32_t NAME(add_recurrent)(const NAME(strand) * d, int64_t i, int64_t t) {
    const rnn_settings* s = &d->s->set;
    int64_t batch = d->s->batch, row;
    const T* before = NAME(states_before)(d, i, &row);
    T* gates = d->gates + t * batch * d->width;
    int64_t columns = s->mode == RNN_GRU ? 2 * s->size : d->width;
    int32_t status = NAME(multiply)(d->call, batch, columns, s->out, before, row, d->h2h, 1, gates, d->width, 1);
    if (status || s->mode != RNN_GRU) return status;
    opforge_gemm product = opforge_matmul(DTYPE, batch, s->size, s->out, before, d->h2h + columns * s->out,
                                          d->hidden + t * batch * s->size);
    product.a_row = row;
    product.transpose_b = 1;
    product.bias = d->h2h_bias + columns;
    return d->call->host->gemm(d->call, &product);
}

typedef struct NAME(cells_work) {
    const NAME(strand) * d;
    int64_t t;
} NAME(cells_work);

static void NAME(cells_part)(void* argument, int64_t begin, int64_t end) {
    const NAME(cells_work)* w = (const NAME(cells_work)*)argument;
    NAME(run_cells)(w->d, w->t, begin, end, 0, w->d->s->set.size);
}

/* The states of step t are those of its cells, projected. */
static int32_t NAME(project)(const NAME(strand) * d, int64_t t) {
    const rnn_settings* s = &d->s->set;
    int64_t batch = d->s->batch;
    T* y = d->y + t * batch * d->row;
    int32_t status =
        NAME(multiply)(d->call, batch, s->out, s->size, d->hidden + t * batch * s->size, s->size, d->h2r, 1, y, d->row, 0);
    for (int64_t n = 0; n < batch && d->direction; n++) {
        if (t >= NAME(length)(d, n)) memcpy(y + n * d->row, d->first_state + n * s->out, (size_t)s->out * sizeof(T));
    }
    return status;
}

static int32_t NAME(run_strand)(const NAME(strand) * d) {
    int32_t status = OPFORGE_OK;
    for (int64_t i = 0; i < d->s->steps && !status; i++) {
        NAME(cells_work) w = {d, NAME(step)(d, i)};
        status = NAME(add_recurrent)(d, i, w.t);
        if (status) break;
        d->call->host->parallel_for(d->call, d->s->batch, at_least_one(GRAIN / 8 / d->width), NAME(cells_part), &w);
        if (d->s->set.projects) status = NAME(project)(d, w.t);
    }
    return status;
}

/* The last row of a sequence in an array of (steps, batch, length), or where there is none what it begins with. */
static void NAME(copy_last)(const NAME(strand) * d, const T* array, int64_t row, const T* first, int64_t length, T* to) {
    for (int64_t n = 0; n < d->s->batch && to != NULL; n++) {
        int64_t steps = NAME(length)(d, n), at = d->direction ? 0 : steps - 1;
        const T* from = steps == 0 ? first + n * length : array + (at * d->s->batch + n) * row;
        memcpy(to + n * length, from, (size_t)length * sizeof(T));
    }
}

/* The last states, and nothing after the end of each sequence. */
static void NAME(finish_strand)(const NAME(strand) * d, T* last_state, T* last_cell) {
    const rnn_settings* s = &d->s->set;
    NAME(copy_last)(d, d->y, d->row, d->first_state, s->out, last_state);
    NAME(copy_last)(d, d->cells, s->size, d->first_cell, s->size, last_cell);
    for (int64_t n = 0; n < d->s->batch && d->direction; n++) {
        for (int64_t t = NAME(length)(d, n); t < d->s->steps; t++) {
            memset(d->y + (t * d->s->batch + n) * d->row, 0, (size_t)s->out * sizeof(T));
        }
    }
}

static int32_t NAME(begin_layer)(NAME(layer) * l) {
    int32_t status = OPFORGE_OK;
    for (int64_t at = 0; at < l->count && !status; at++) {
        const NAME(strand)* d = &l->strands[at];
        NAME(add_biases)(d);
        if (!packs_inputs(d->s, d->input)) status = NAME(begin_sums)(d);
    }
    return status;
}

static int32_t NAME(forward_layer)(NAME(layer) * l) {
    int32_t status = NAME(begin_layer)(l);
    if (status) return status;
    if (is_packed(l->strands[0].s)) return NAME(run_packed)(l);
    for (int64_t at = 0; at < l->count && !status; at++) status = NAME(run_strand)(&l->strands[at]);
    return status;
}

/* What the next layer gets of a layer's states. */
static void NAME(drop_above)(opforge_call* call, const rnn_shape* s, const rnn_arrays* a, int64_t layer) {
    rnn_kept k = rnn_kept_of(s, layer);
    T* kept = (T*)a->kept;
    if (kept == NULL || k.dropped == k.above) return;
    if (a->key != 0) NAME(drop)(call, s, a->key, layer, kept + k.above, kept + k.dropped);
    else memcpy(kept + k.dropped, kept + k.above, (size_t)(k.dropped - k.above) * sizeof(T));
}

static int32_t NAME(forward)(opforge_call* call, const rnn_shape* shape, const rnn_arrays* a) {
    const rnn_settings* s = &shape->set;
    rooms room = forward_rooms(shape);
    for (int64_t layer = 0; layer < s->layers; layer++) {
        NAME(layer) l = NAME(layer_of)(call, shape, a, &room, forward_blocking(shape), layer);
        int32_t status = NAME(forward_layer)(&l);
        if (status) return status;
        for (int64_t at = 0; at < l.count; at++) {
            int64_t first = (layer * s->directions + at) * shape->batch;
            NAME(finish_strand)(&l.strands[at], a->last_state == NULL ? NULL : (T*)a->last_state + first * s->out,
                                a->last_cell == NULL ? NULL : (T*)a->last_cell + first * s->size);
        }
        NAME(drop_above)(call, shape, a, layer);
    }
    return OPFORGE_OK;
}
