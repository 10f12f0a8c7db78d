/* The forward pass. Included once for each type. */

/* Add up both biases, except for the n of a GRU, whose recurrent bias is multiplied by r. */
static void NAME(add_biases)(const NAME(sublayer) * d) {
    const rnn_settings* s = &d->s->set;
    int64_t both = s->mode == RNN_GRU ? 2 * s->size : d->width;
    for (int64_t i = 0; i < d->width; i++) d->bias[i] = d->i2h_bias[i] + (i < both ? d->h2h_bias[i] : 0);
}

/* Initialize the sums of all steps with the input product and the biases. */
static int32_t NAME(init_sums)(const NAME(sublayer) * d) {
    opforge_gemm product =
        opforge_matmul(DTYPE, d->s->steps * d->s->batch, d->width, d->input, d->x, d->i2h, d->gates);
    product.transpose_b = 1;
    product.bias = d->bias;
    return d->call->host->gemm(d->call, &product);
}

/* Add the recurrent product to the sums of step t. */
static int32_t NAME(add_recurrent)(const NAME(sublayer) * d, int64_t i, int64_t t) {
    const rnn_settings* s = &d->s->set;
    int64_t batch = d->s->batch, row;
    const T* before = NAME(previous_states)(d, i, &row);
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
    const NAME(sublayer) * d;
    int64_t t;
} NAME(cells_work);

static void NAME(cells_part)(void* argument, int64_t begin, int64_t end) {
    const NAME(cells_work)* w = (const NAME(cells_work)*)argument;
    NAME(run_cells)(w->d, w->t, begin, end, 0, w->d->s->set.size);
}

/* Project the hidden states of step t. */
static int32_t NAME(project)(const NAME(sublayer) * d, int64_t t) {
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

static int32_t NAME(run_sublayer)(const NAME(sublayer) * d) {
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

/* Copy the last row of each sequence in an array of (steps, batch, length), or its initial value if it is empty. */
static void NAME(copy_last)(const NAME(sublayer) * d, const T* array, int64_t row, const T* first, int64_t length, T* to) {
    for (int64_t n = 0; n < d->s->batch && to != NULL; n++) {
        int64_t steps = NAME(length)(d, n), at = d->direction ? 0 : steps - 1;
        const T* from = steps == 0 ? first + n * length : array + (at * d->s->batch + n) * row;
        memcpy(to + n * length, from, (size_t)length * sizeof(T));
    }
}

/* Store the last states, and zeros after the end of each sequence. */
static void NAME(finish_sublayer)(const NAME(sublayer) * d, T* last_state, T* last_cell) {
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
        const NAME(sublayer)* d = &l->sublayers[at];
        NAME(add_biases)(d);
        if (!packs_inputs(d->s, d->input)) status = NAME(init_sums)(d);
    }
    return status;
}

static int32_t NAME(forward_layer)(NAME(layer) * l) {
    int32_t status = NAME(begin_layer)(l);
    if (status) return status;
    if (is_packed(l->sublayers[0].s)) return NAME(run_packed)(l);
    for (int64_t at = 0; at < l->count && !status; at++) status = NAME(run_sublayer)(&l->sublayers[at]);
    return status;
}

/* Apply the dropout between a layer and the next. */
static void NAME(dropout_above)(opforge_call* call, const rnn_shape* s, const rnn_arrays* a, int64_t layer) {
    rnn_reserve k = rnn_reserve_of(s, layer);
    T* reserve = (T*)a->reserve;
    if (reserve == NULL || k.dropped == k.above) return;
    if (a->key != 0) NAME(apply_dropout)(call, s, a->key, layer, reserve + k.above, reserve + k.dropped);
    else memcpy(reserve + k.dropped, reserve + k.above, (size_t)(k.dropped - k.above) * sizeof(T));
}

static int32_t NAME(forward)(opforge_call* call, const rnn_shape* shape, const rnn_arrays* a) {
    const rnn_settings* s = &shape->set;
    workspace_layout layout = layout_forward(shape);
    for (int64_t layer = 0; layer < s->layers; layer++) {
        NAME(layer) l = NAME(layer_of)(call, shape, a, &layout, forward_blocking(shape), layer);
        int32_t status = NAME(forward_layer)(&l);
        if (status) return status;
        for (int64_t at = 0; at < l.count; at++) {
            int64_t first = (layer * s->directions + at) * shape->batch;
            NAME(finish_sublayer)(&l.sublayers[at], a->last_state == NULL ? NULL : (T*)a->last_state + first * s->out,
                                a->last_cell == NULL ? NULL : (T*)a->last_cell + first * s->size);
        }
        NAME(dropout_above)(call, shape, a, layer);
    }
    return OPFORGE_OK;
}
