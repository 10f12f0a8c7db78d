/* Gradients of cells: from those of the state and the cell after a step to those of its sums, and the part that
 * reaches the step before without a matrix product. Included once for each type. */

OF_INLINE T NAME(sigmoid_gradient)(T y) { return y * (1 - y); }
OF_INLINE T NAME(tanh_gradient)(T y) { return (1 - y) * (1 + y); }

/* `dh` is the gradient of the state; `d_cell` that of the cell, replaced by that of the previous cell. */
static void NAME(lstm_backward)(const rnn_settings* s, const T* restrict gates, const T* restrict before,
                                const T* restrict cells, const T* restrict dh, T* restrict d_cell, T* restrict d_gates,
                                int64_t begin, int64_t end) {
    int64_t forget = s->size, new = 2 * s->size, out = 3 * s->size;
    T least = s->clips ? (T)s->clip_min : -(T)INFINITY, most = s->clips ? (T)s->clip_max : (T)INFINITY;
    for (int64_t u = begin; u < end; u++) {
        T i = gates[u], f = gates[forget + u], g = gates[new + u], o = gates[out + u];
        T activated = OF(tanh)(cells[u]), dc = d_cell[u] + dh[u] * o * NAME(tanh_gradient)(activated);
        dc = cells[u] <= least || cells[u] >= most ? 0 : dc;
        d_gates[u] = dc * g * NAME(sigmoid_gradient)(i);
        d_gates[forget + u] = dc * before[u] * NAME(sigmoid_gradient)(f);
        d_gates[new + u] = dc * i * NAME(tanh_gradient)(g);
        d_gates[out + u] = dh[u] * activated * NAME(sigmoid_gradient)(o);
        d_cell[u] = dc * f;
    }
}

/* `d_state` is the gradient of the state, replaced by the direct part of the previous state's gradient. */
static void NAME(gru_backward)(const rnn_settings* s, const T* restrict gates, const T* restrict before,
                               const T* restrict hidden, T* restrict d_state, T* restrict d_gates,
                               T* restrict d_recurrent, int64_t begin, int64_t end) {
    int64_t update = s->size, new = 2 * s->size;
    for (int64_t u = begin; u < end; u++) {
        T r = gates[u], z = gates[update + u], n = gates[new + u], dh = d_state[u];
        T d_new = dh * (1 - z) * NAME(tanh_gradient)(n);
        T d_update = dh * (before[u] - n) * NAME(sigmoid_gradient)(z);
        T d_reset = d_new * hidden[u] * NAME(sigmoid_gradient)(r);
        d_gates[u] = d_reset;
        d_recurrent[u] = d_reset;
        d_gates[update + u] = d_update;
        d_recurrent[update + u] = d_update;
        d_gates[new + u] = d_new;
        d_recurrent[new + u] = d_new * r;
        d_state[u] = dh * z;
    }
}

static void NAME(elman_backward)(const rnn_settings* s, const T* restrict gates, T* restrict d_state, T* restrict d_gates,
                                 int64_t begin, int64_t end) {
    int is_tanh = s->mode == RNN_TANH;
    for (int64_t u = begin; u < end; u++) {
        T dh = d_state[u], slope = is_tanh ? NAME(tanh_gradient)(gates[u]) : gates[u] > 0 ? 1 : 0;
        d_gates[u] = dh * slope;
        d_state[u] = 0;
    }
}

OF_INLINE void NAME(add_units)(T* restrict to, const T* restrict from, int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; u++) to[u] += from[u];
}

/* Prefetch what run_cells_backward reads and writes, which is in memory or another core's cache, while the
 * gradients of the states are computed. */
OF_INLINE void NAME(prefetch_step)(const NAME(sublayer) * d, int64_t t, int64_t first, int64_t last, int64_t begin,
                                   int64_t end) {
    const rnn_settings* s = &d->s->set;
    for (int64_t n = first; n < last; n++) {
        int64_t at = t * d->s->batch + n;
        for (int64_t u = begin; u < end; u += LANES) {
            for (int64_t g = 0; g < s->gates; g++) {
                __builtin_prefetch(d->gates + at * d->width + g * s->size + u);
                prefetch_write(d->d_gates + at * d->width + g * s->size + u);
            }
            if (d->dy != NULL) __builtin_prefetch(d->dy + at * d->row + u);
            if (s->mode == RNN_LSTM) __builtin_prefetch(d->cells + at * s->size + u);
        }
    }
}

/* Compute units [begin, end) of the sequences [first, last) at step t. */
static void NAME(run_cells_backward)(const NAME(sublayer) * d, int64_t t, int64_t first, int64_t last, int64_t begin,
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
        if (!s->projects && d->dy != NULL) NAME(add_units)(dh, d->dy + at * d->row, begin, end);
        if (s->mode == RNN_LSTM) {
            const T* before = NAME(previous)(d, d->cells, s->size, d->first_cell, s->size, t, n);
            NAME(lstm_backward)(s, gates, before, d->cells + at * s->size, dh, d->d_cell + n * s->size, d_gates, begin, end);
            if (!s->projects) memset(d_state + begin, 0, (size_t)(end - begin) * sizeof(T));
        } else if (s->mode == RNN_GRU) {
            const T* before = NAME(previous)(d, d->y, d->row, d->first_state, s->size, t, n);
            NAME(gru_backward)(s, gates, before, hidden, d_state, d_gates, d_recurrent, begin, end);
        } else NAME(elman_backward)(s, gates, d_state, d_gates, begin, end);
    }
}
