/* What cells make of their sums. Included once for each type. */

FORCE_INLINE T NAME(sigmoid)(T x) { return 1 / (1 + EXP(-x)); }

FORCE_INLINE T NAME(clipped)(const rnn_settings* s, T c) {
    if (c != c) return s->clips_nan ? (T)s->clip_min : c;
    return c < (T)s->clip_min ? (T)s->clip_min : c > (T)s->clip_max ? (T)s->clip_max : c;
}

/* The arrays of one sequence at one step. */
static void NAME(lstm)(const rnn_settings* s, T* gates, const T* before, T* cells, T* h, int64_t begin, int64_t end) {
    T *in = gates, *forget = in + s->size, *new = forget + s->size, *out = new + s->size;
    for (int64_t u = begin; u < end; u++) {
        in[u] = NAME(sigmoid)(in[u]);
        forget[u] = NAME(sigmoid)(forget[u]);
        new[u] = TANH(new[u]);
        out[u] = NAME(sigmoid)(out[u]);
        T c = forget[u] * before[u] + in[u] * new[u];
        cells[u] = s->clips ? NAME(clipped)(s, c) : c;
        h[u] = out[u] * TANH(cells[u]);
    }
}

static void NAME(gru)(const rnn_settings* s, T* gates, const T* before, const T* hidden, T* h, int64_t begin, int64_t end) {
    T *reset = gates, *update = reset + s->size, *new = update + s->size;
    for (int64_t u = begin; u < end; u++) {
        reset[u] = NAME(sigmoid)(reset[u]);
        update[u] = NAME(sigmoid)(update[u]);
        new[u] = TANH(new[u] + reset[u] * hidden[u]);
        h[u] = (1 - update[u]) * new[u] + update[u] * before[u];
    }
}

static void NAME(plain)(const rnn_settings* s, T* gates, T* h, int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; u++) {
        gates[u] = s->mode == RNN_TANH ? TANH(gates[u]) : gates[u] > 0 ? gates[u] : gates[u] * 0;
        h[u] = gates[u];
    }
}

/* After its end a sequence has no states; one that is read backwards begins behind them. */
FORCE_INLINE void NAME(run_nothing)(const NAME(strand) * d, T* h, const T* first_state, int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; u++) h[u] = d->direction && !d->s->set.projects ? first_state[u] : 0;
}

/* Units [begin, end) of the sequences [first, last) at step t. */
static void NAME(run_cells)(const NAME(strand) * d, int64_t t, int64_t first, int64_t last, int64_t begin, int64_t end) {
    const rnn_settings* s = &d->s->set;
    for (int64_t n = first; n < last; n++) {
        int64_t at = t * d->s->batch + n;
        T *gates = d->gates + at * d->width, *hidden = d->hidden + at * s->size;
        T *h = s->projects ? hidden : d->y + at * d->row, *cells = d->cells + at * s->size;
        if (t >= NAME(length)(d, n)) {
            NAME(run_nothing)(d, h, d->first_state + n * s->out, begin, end);
        } else if (s->mode == RNN_LSTM) {
            NAME(lstm)(s, gates, NAME(before)(d, d->cells, s->size, d->first_cell, s->size, t, n), cells, h, begin, end);
        } else if (s->mode == RNN_GRU) {
            NAME(gru)(s, gates, NAME(before)(d, d->y, d->row, d->first_state, s->size, t, n), hidden, h, begin, end);
        } else NAME(plain)(s, gates, h, begin, end);
    }
}
