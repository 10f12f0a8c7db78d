/* The backward pass. Included once for each type. */

/* Compute the gradients of step t's states before their projection in d_hidden, those after it in d_out. */
static int32_t NAME(project_backward)(const NAME(sublayer) * d, int64_t t) {
    const rnn_settings* s = &d->s->set;
    int64_t batch = d->s->batch;
    T* d_out = d->d_out + t * batch * s->out;
    for (int64_t n = 0; n < batch; n++) {
        T *row = d_out + n * s->out, *d_state = d->d_state + n * s->out;
        int is_over = t >= NAME(length)(d, n);
        for (int64_t u = 0; u < s->out; u++) {
            row[u] = is_over ? 0 : d_state[u] + (d->dy == NULL ? 0 : d->dy[(t * batch + n) * d->row + u]);
        }
        if (!is_over) memset(d_state, 0, (size_t)s->out * sizeof(T));
    }
    return NAME(multiply)(d->call, batch, s->size, s->out, d_out, s->out, d->h2r, 0, d->d_hidden, s->size, 0);
}

static void NAME(cells_backward_part)(void* argument, int64_t begin, int64_t end) {
    const NAME(cells_work)* w = (const NAME(cells_work)*)argument;
    NAME(run_cells_backward)(w->d, w->t, begin, end, 0, w->d->s->set.size);
}

/* Compute the gradients of all pre-activations from the last step to the first; at the end, d_state and d_cell are
 * those of the initial states. */
static int32_t NAME(run_sublayer_backward)(const NAME(sublayer) * d) {
    const rnn_settings* s = &d->s->set;
    int64_t batch = d->s->batch;
    int32_t status = OPFORGE_OK;
    for (int64_t i = d->s->steps - 1; i >= 0 && !status; i--) {
        NAME(cells_work) w = {d, NAME(step)(d, i)};
        if (s->projects) status = NAME(project_backward)(d, w.t);
        if (status) break;
        d->call->host->parallel_for(d->call, batch, at_least_one(GRAIN / 8 / d->width), NAME(cells_backward_part), &w);
        status = NAME(multiply)(d->call, batch, s->out, d->width, d->d_recurrent + w.t * batch * d->width, d->width,
                                d->h2h, 0, d->d_state, s->out, 1);
    }
    return status;
}

/* -- gradients of parameters: products over all steps --------------------------------------------------------------- */

/* Gradient of the recurrent weights: all steps with the states before them, and the first steps with the initial
 * states. */
static int32_t NAME(h2h_gradient)(const NAME(sublayer) * d, T* gradient) {
    int64_t batch = d->s->batch, steps = d->s->steps, out = d->s->set.out, later = d->direction ? 0 : batch;
    for (int64_t n = 0; n < batch; n++) {
        int64_t t = d->direction ? NAME(length)(d, n) - 1 : 0;
        T* first = d->d_first + n * d->width;
        if (NAME(length)(d, n) == 0) memset(first, 0, (size_t)d->width * sizeof(T));
        else memcpy(first, d->d_recurrent + (t * batch + n) * d->width, (size_t)d->width * sizeof(T));
    }
    int32_t status = NAME(correlate)(d->call, d->width, out, batch, d->d_first, d->first_state, out, gradient, 0);
    if (status || steps == 1) return status;
    return NAME(correlate)(d->call, d->width, out, (steps - 1) * batch, d->d_recurrent + later * d->width,
                           d->y + (batch - later) * d->row, d->row, gradient, 1);
}

typedef struct NAME(summing) {
    const T* rows;
    int64_t count, width;
    T* sums;
} NAME(summing);

/* Sum some columns, four rows at a time. */
static void NAME(sum_part)(void* argument, int64_t begin, int64_t end) {
    const NAME(summing)* w = (const NAME(summing)*)argument;
    int64_t row = 0, width = w->width;
    T* restrict sums = w->sums;
    memset(sums + begin, 0, (size_t)(end - begin) * sizeof(T));
    for (; row + 4 <= w->count; row += 4) {
        const T* x = w->rows + row * width;
        for (int64_t i = begin; i < end; i++) sums[i] += (x[i] + x[width + i]) + (x[2 * width + i] + x[3 * width + i]);
    }
    for (; row < w->count; row++) {
        for (int64_t i = begin; i < end; i++) sums[i] += w->rows[row * width + i];
    }
}

/* Sum `columns` columns over all steps. */
static void NAME(sum_steps)(const NAME(sublayer) * d, const T* rows, int64_t columns, T* sums) {
    NAME(summing) w = {rows, d->s->steps * d->s->batch, d->width, sums};
    d->call->host->parallel_for(d->call, columns, at_least_one(4 * GRAIN / w.count), NAME(sum_part), &w);
}

static int32_t NAME(parameter_gradients)(const NAME(sublayer) * d, const rnn_weights* w, T* gradients) {
    const rnn_settings* s = &d->s->set;
    int64_t rows = d->s->steps * d->s->batch;
    int32_t status =
        NAME(correlate)(d->call, d->width, d->input, rows, d->d_gates, d->x, d->input, gradients + w->i2h, 0);
    if (!status) status = NAME(h2h_gradient)(d, gradients + w->h2h);
    if (!status && s->projects) {
        status = NAME(correlate)(d->call, s->out, s->size, rows, d->d_out, d->hidden, s->size, gradients + w->h2r, 0);
    }
    NAME(sum_steps)(d, d->d_gates, d->width, gradients + w->i2h_bias);
    memcpy(gradients + w->h2h_bias, gradients + w->i2h_bias, (size_t)d->width * sizeof(T));
    /* In the n of a GRU, the recurrent part is multiplied by r, so its bias has a different gradient. */
    if (s->mode == RNN_GRU) NAME(sum_steps)(d, d->d_recurrent + 2 * s->size, s->size, gradients + w->h2h_bias + 2 * s->size);
    return status;
}

/* -- layers ------------------------------------------------------------------------------------------------------------ */

static int32_t NAME(backward_layer)(NAME(layer) * l) {
    if (is_packed(l->sublayers[0].s)) return NAME(run_packed_backward)(l);
    int32_t status = OPFORGE_OK;
    for (int64_t at = 0; at < l->count && !status; at++) status = NAME(run_sublayer_backward)(&l->sublayers[at]);
    return status;
}

/* Gradients of the last states, or the destination of those of the initial states; NULL if absent. */
static T* NAME(states_at)(const NAME(sublayer) * d, const void* states, int64_t layer, int64_t length) {
    return states == NULL ? NULL : (T*)states + (layer * d->s->set.directions + d->direction) * d->s->batch * length;
}

static void NAME(begin_sublayer)(const NAME(sublayer) * d, const rnn_arrays* a, int64_t layer) {
    const rnn_settings* s = &d->s->set;
    size_t states = (size_t)(d->s->batch * s->out) * sizeof(T), cells = (size_t)(d->s->batch * s->size) * sizeof(T);
    const T *state = NAME(states_at)(d, a->d_last_state, layer, s->out), *cell = NAME(states_at)(d, a->d_last_cell, layer, s->size);
    if (state == NULL) memset(d->d_state, 0, states);
    else memcpy(d->d_state, state, states);
    if (s->mode != RNN_LSTM) return;
    if (cell == NULL) memset(d->d_cell, 0, cells);
    else memcpy(d->d_cell, cell, cells);
}

static int32_t NAME(end_sublayer)(const NAME(sublayer) * d, const rnn_arrays* a, int64_t layer, T* dx) {
    const rnn_settings* s = &d->s->set;
    T *state = NAME(states_at)(d, a->d_state, layer, s->out), *cell = NAME(states_at)(d, a->d_cell, layer, s->size);
    rnn_weights w = rnn_weights_of(d->s, layer, d->direction);
    int32_t status = OPFORGE_OK;
    if (state != NULL) memcpy(state, d->d_state, (size_t)(d->s->batch * s->out) * sizeof(T));
    if (cell != NULL) memcpy(cell, d->d_cell, (size_t)(d->s->batch * s->size) * sizeof(T));
    if (a->d_parameters != NULL) status = NAME(parameter_gradients)(d, &w, (T*)a->d_parameters);
    if (status || dx == NULL) return status;
    return NAME(multiply)(d->call, d->s->steps * d->s->batch, d->input, d->width, d->d_gates, d->width, d->i2h, 0, dx,
                          d->input, d->direction);
}

static int32_t NAME(backward)(opforge_call* call, const rnn_shape* shape, const rnn_arrays* a) {
    const rnn_settings* s = &shape->set;
    workspace_layout layout = layout_backward(shape);
    const T* dy = (const T*)a->d_out;
    for (int64_t layer = s->layers - 1; layer >= 0; layer--) {
        NAME(layer) l = NAME(layer_of)(call, shape, a, &layout, backward_blocking(shape), layer);
        T* dx = layer == 0 ? (T*)a->d_data : (T*)a->workspace + layout.d_above[(layer + 1) % 2];
        for (int64_t at = 0; at < l.count; at++) {
            l.sublayers[at].dy = dy == NULL ? NULL : dy + at * s->out;
            NAME(begin_sublayer)(&l.sublayers[at], a, layer);
        }
        int32_t status = NAME(backward_layer)(&l);
        for (int64_t at = 0; at < l.count && !status; at++) status = NAME(end_sublayer)(&l.sublayers[at], a, layer, dx);
        if (status) return status;
        if (layer > 0 && a->key != 0) NAME(apply_dropout)(call, shape, a->key, layer - 1, dx, dx);
        dy = dx;
    }
    return OPFORGE_OK;
}
