/* Gradients of cells: from those of the state and the cell after a step to those of its sums, and what
 * the step before gets without a product. Included once for each type. */

FORCE_INLINE T NAME(sigmoid_gradient)(T y) { return y * (1 - y); }
FORCE_INLINE T NAME(tanh_gradient)(T y) { return (1 - y) * (1 + y); }

/* `dh` is the gradient of the state, `d_cell` that of the cell, which becomes that of the cell before. */
static void NAME(lstm_backward)(const rnn_settings* s, const T* gates, const T* before, const T* cells, const T* dh,
                                T* d_cell, T* d_gates, int64_t begin, int64_t end) {
    const T *in = gates, *forget = in + s->size, *new = forget + s->size, *out = new + s->size;
    T *d_in = d_gates, *d_forget = d_in + s->size, *d_new = d_forget + s->size, *d_out = d_new + s->size;
    for (int64_t u = begin; u < end; u++) {
        T shown = TANH(cells[u]), dc = d_cell[u] + dh[u] * out[u] * NAME(tanh_gradient)(shown);
        if (s->clips && !(cells[u] > (T)s->clip_min && cells[u] < (T)s->clip_max)) dc = 0;
        d_out[u] = dh[u] * shown * NAME(sigmoid_gradient)(out[u]);
        d_in[u] = dc * new[u] * NAME(sigmoid_gradient)(in[u]);
        d_forget[u] = dc * before[u] * NAME(sigmoid_gradient)(forget[u]);
        d_new[u] = dc * in[u] * NAME(tanh_gradient)(new[u]);
        d_cell[u] = dc * forget[u];
    }
}

/* `d_state` becomes what the state before gets directly. */
static void NAME(gru_backward)(const rnn_settings* s, const T* gates, const T* before, const T* hidden, const T* dh,
                               T* d_state, T* d_gates, T* d_recurrent, int64_t begin, int64_t end) {
    const T *reset = gates, *update = reset + s->size, *new = update + s->size;
    int64_t size = s->size;
    for (int64_t u = begin; u < end; u++) {
        T d_new = dh[u] * (1 - update[u]) * NAME(tanh_gradient)(new[u]);
        T d_update = dh[u] * (before[u] - new[u]) * NAME(sigmoid_gradient)(update[u]);
        T d_reset = d_new * hidden[u] * NAME(sigmoid_gradient)(reset[u]);
        d_gates[u] = d_recurrent[u] = d_reset;
        d_gates[size + u] = d_recurrent[size + u] = d_update;
        d_gates[2 * size + u] = d_new;
        d_recurrent[2 * size + u] = d_new * reset[u];
        d_state[u] = dh[u] * update[u];
    }
}

static void NAME(plain_backward)(const rnn_settings* s, const T* gates, const T* dh, T* d_state, T* d_gates,
                                 int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; u++) {
        d_gates[u] = s->mode == RNN_TANH ? dh[u] * NAME(tanh_gradient)(gates[u]) : gates[u] > 0 ? dh[u] : dh[u] * 0;
        d_state[u] = 0;
    }
}

/* Units [begin, end) of the sequences [first, last) at step t. */
static void NAME(run_cells_backward)(const NAME(strand) * d, int64_t t, int64_t first, int64_t last, int64_t begin,
                                     int64_t end) {
    const rnn_settings* s = &d->s->set;
    for (int64_t n = first; n < last; n++) {
        int64_t at = t * d->s->batch + n;
        const T *gates = d->gates + at * d->width, *hidden = d->hidden + at * s->size;
        T *d_gates = d->d_gates + at * d->width, *d_recurrent = d->d_recurrent + at * d->width;
        T *d_state = d->d_state + n * s->out, *dh = s->projects ? d->d_hidden + n * s->size : d_state;
        if (t >= NAME(length)(d, n)) {
            for (int64_t g = 0; g < s->gates; g++) {
                size_t bytes = (size_t)(end - begin) * sizeof(T);
                memset(d_gates + g * s->size + begin, 0, bytes);
                memset(d_recurrent + g * s->size + begin, 0, bytes);
            }
            continue;
        }
        if (!s->projects && d->dy != NULL) {
            for (int64_t u = begin; u < end; u++) dh[u] += d->dy[at * d->row + u];
        }
        if (s->mode == RNN_LSTM) {
            const T* before = NAME(before)(d, d->cells, s->size, d->first_cell, s->size, t, n);
            NAME(lstm_backward)(s, gates, before, d->cells + at * s->size, dh, d->d_cell + n * s->size, d_gates, begin, end);
            if (!s->projects) memset(d_state + begin, 0, (size_t)(end - begin) * sizeof(T));
        } else if (s->mode == RNN_GRU) {
            const T* before = NAME(before)(d, d->y, d->row, d->first_state, s->size, t, n);
            NAME(gru_backward)(s, gates, before, hidden, dh, d_state, d_gates, d_recurrent, begin, end);
        } else NAME(plain_backward)(s, gates, dh, d_state, d_gates, begin, end);
    }
}
