/* Cells: from the sums to gates and states. Included once for each type. */

/* All arrays are of one sequence at one step and do not overlap. */
static void NAME(lstm)(const rnn_settings* s, T* restrict gates, const T* restrict before, T* restrict cells, T* restrict h,
                       int64_t begin, int64_t end) {
    int64_t forget = s->size, new = 2 * s->size, out = 3 * s->size;
    T least = s->clips ? (T)s->clip_min : -(T)INFINITY, most = s->clips ? (T)s->clip_max : (T)INFINITY;
    T for_nan = s->clips_nan ? least : (T)NAN;
    for (int64_t u = begin; u < end; u++) {
        T i = OF(sigmoid)(gates[u]), f = OF(sigmoid)(gates[forget + u]);
        T g = OF(tanh)(gates[new + u]), o = OF(sigmoid)(gates[out + u]), c = f * before[u] + i * g;
        c = c < least ? least : c;
        c = c > most ? most : c;
        c = c == c ? c : for_nan;
        gates[u] = i;
        gates[forget + u] = f;
        gates[new + u] = g;
        gates[out + u] = o;
        cells[u] = c;
        h[u] = o * OF(tanh)(c);
    }
}

static void NAME(gru)(const rnn_settings* s, T* restrict gates, const T* restrict before, const T* restrict hidden,
                      T* restrict h, int64_t begin, int64_t end) {
    int64_t update = s->size, new = 2 * s->size;
    for (int64_t u = begin; u < end; u++) {
        T r = OF(sigmoid)(gates[u]), z = OF(sigmoid)(gates[update + u]);
        T n = OF(tanh)(gates[new + u] + r * hidden[u]);
        gates[u] = r;
        gates[update + u] = z;
        gates[new + u] = n;
        h[u] = n + z * (before[u] - n);
    }
}

static void NAME(elman)(const rnn_settings* s, T* restrict gates, T* restrict h, int64_t begin, int64_t end) {
    int is_tanh = s->mode == RNN_TANH;
    for (int64_t u = begin; u < end && is_tanh; u++) gates[u] = OF(tanh)(gates[u]);
    for (int64_t u = begin; u < end && !is_tanh; u++) gates[u] = gates[u] < 0 ? 0 : gates[u];
    memcpy(h + begin, gates + begin, (size_t)(end - begin) * sizeof(T));
}

/* Fill the states after the end of a sequence: zeros, or the initial state if the sequence is read backward. */
OF_INLINE void NAME(fill_ended)(const NAME(sublayer) * d, T* h, const T* first_state, int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; u++) h[u] = d->direction && !d->s->set.projects ? first_state[u] : 0;
}

/* Prefetch the states that run_cells will write, whose cache lines other threads read in an earlier call, while
 * the sums are computed. */
OF_INLINE void NAME(prefetch_states)(const NAME(sublayer) * d, int64_t t, int64_t first, int64_t last, int64_t begin) {
    for (int64_t n = first; n < last; n++) prefetch_write(d->y + (t * d->s->batch + n) * d->row + begin);
}

/* Compute units [begin, end) of the sequences [first, last) at step t. */
static void NAME(run_cells)(const NAME(sublayer) * d, int64_t t, int64_t first, int64_t last, int64_t begin, int64_t end) {
    const rnn_settings* s = &d->s->set;
    int64_t slot = NAME(slot)(d, t) * d->s->batch;
    for (int64_t n = first; n < last; n++) {
        int64_t at = t * d->s->batch + n;
        T *gates = d->gates + (slot + n) * d->width, *hidden = d->hidden + (slot + n) * s->size;
        T *h = s->projects ? hidden : d->y + at * d->row, *cells = d->cells + at * s->size;
        if (t >= NAME(length)(d, n)) {
            NAME(fill_ended)(d, h, d->first_state + n * s->out, begin, end);
        } else if (s->mode == RNN_LSTM) {
            NAME(lstm)(s, gates, NAME(previous)(d, d->cells, s->size, d->first_cell, s->size, t, n), cells, h, begin, end);
        } else if (s->mode == RNN_GRU) {
            NAME(gru)(s, gates, NAME(previous)(d, d->y, d->row, d->first_state, s->size, t, n), hidden, h, begin, end);
        } else NAME(elman)(s, gates, h, begin, end);
    }
}
