/* What cells make of their sums. Included once for each type. */

/* The arrays of one sequence at one step; none of them overlap. */
static void NAME(lstm)(const rnn_settings* s, T* restrict gates, const T* restrict before, T* restrict cells, T* restrict h,
                       int64_t begin, int64_t end) {
    int64_t forget = s->size, new = 2 * s->size, out = 3 * s->size;
    T least = s->clips ? (T)s->clip_min : -(T)INFINITY, most = s->clips ? (T)s->clip_max : (T)INFINITY;
    T for_nan = s->clips_nan ? least : (T)NAN;
    for (int64_t u = begin; u < end; u++) {
        T i = NAME(sigmoid)(gates[u]), f = NAME(sigmoid)(gates[forget + u]);
        T g = NAME(tanh)(gates[new + u]), o = NAME(sigmoid)(gates[out + u]), c = f * before[u] + i * g;
        c = c < least ? least : c;
        c = c > most ? most : c;
        c = c == c ? c : for_nan;
        gates[u] = i;
        gates[forget + u] = f;
        gates[new + u] = g;
        gates[out + u] = o;
        cells[u] = c;
        h[u] = o * NAME(tanh)(c);
    }
}

static void NAME(gru)(const rnn_settings* s, T* restrict gates, const T* restrict before, const T* restrict hidden,
                      T* restrict h, int64_t begin, int64_t end) {
    int64_t update = s->size, new = 2 * s->size;
    for (int64_t u = begin; u < end; u++) {
        T r = NAME(sigmoid)(gates[u]), z = NAME(sigmoid)(gates[update + u]);
        T n = NAME(tanh)(gates[new + u] + r * hidden[u]);
        gates[u] = r;
        gates[update + u] = z;
        gates[new + u] = n;
        h[u] = n + z * (before[u] - n);
    }
}

static void NAME(plain)(const rnn_settings* s, T* restrict gates, T* restrict h, int64_t begin, int64_t end) {
    int is_tanh = s->mode == RNN_TANH;
    for (int64_t u = begin; u < end && is_tanh; u++) gates[u] = NAME(tanh)(gates[u]);
    for (int64_t u = begin; u < end && !is_tanh; u++) gates[u] = gates[u] < 0 ? 0 : gates[u];
    memcpy(h + begin, gates + begin, (size_t)(end - begin) * sizeof(T));
}

/* After its end a sequence has no states; one that is read backwards begins behind them. */
FORCE_INLINE void NAME(run_nothing)(const NAME(strand) * d, T* h, const T* first_state, int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; u++) h[u] = d->direction && !d->s->set.projects ? first_state[u] : 0;
}

/* Other threads have read the states of the call before where run_cells puts those of this one: the lines come while
 * the sums are made. */
FORCE_INLINE void NAME(fetch_states)(const NAME(strand) * d, int64_t t, int64_t first, int64_t last, int64_t begin) {
    for (int64_t n = first; n < last; n++) fetch_to_write(d->y + (t * d->s->batch + n) * d->row + begin);
}

/* Units [begin, end) of the sequences [first, last) at step t. */
static void NAME(run_cells)(const NAME(strand) * d, int64_t t, int64_t first, int64_t last, int64_t begin, int64_t end) {
    const rnn_settings* s = &d->s->set;
    int64_t place = NAME(place)(d, t) * d->s->batch;
    for (int64_t n = first; n < last; n++) {
        int64_t at = t * d->s->batch + n;
        T *gates = d->gates + (place + n) * d->width, *hidden = d->hidden + (place + n) * s->size;
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
