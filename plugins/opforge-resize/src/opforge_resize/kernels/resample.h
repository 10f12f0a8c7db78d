/* Resampling of planes by the maps of their axes. Included once for each type. Rows are interpolated first,
 * then columns; the gradient in the reverse order. */

static inline void NAME(repeat)(const T* restrict row, T* restrict out, int64_t n, int64_t times) {
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < times; k++) out[i * times + k] = row[i];
    }
}

static inline void NAME(add_repeated)(const T* restrict grad, T* restrict row, int64_t n, int64_t times) {
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < times; k++) row[i] += grad[i * times + k];
    }
}

static void NAME(forward_row)(const axis_map* w, const T* row, T constant, T* out) {
    if (w->repeats == 2) return NAME(repeat)(row, out, w->in, 2); /* a constant compiles to a shuffle */
    if (w->repeats > 0) return NAME(repeat)(row, out, w->in, w->repeats);
    for (int64_t i = 0; i < w->out; i++) {
        if (i == w->run.begin && w->run.end > i) {
            memcpy(out + i, row + w->low[i], (size_t)(w->run.end - i) * sizeof(T));
            i = w->run.end - 1;
            continue;
        }
        T share = (T)w->weight[i];
        out[i] = w->low[i] < 0 ? constant
                 : share == 0  ? row[w->low[i]]
                               : (1 - share) * row[w->low[i]] + share * row[w->high[i]];
    }
}

static void NAME(backward_row)(const axis_map* w, const T* grad, T* row) {
    if (w->repeats == 2) return NAME(add_repeated)(grad, row, w->in, 2);
    if (w->repeats > 0) return NAME(add_repeated)(grad, row, w->in, w->repeats);
    for (int64_t i = 0; i < w->out; i++) {
        if (i == w->run.begin && w->run.end > i) {
            T* to = row + w->low[i];
            for (int64_t k = 0; k < w->run.end - i; k++) to[k] += grad[i + k];
            i = w->run.end - 1;
            continue;
        }
        T share = (T)w->weight[i];
        if (w->low[i] < 0) continue;
        row[w->low[i]] += (1 - share) * grad[i];
        if (share != 0) row[w->high[i]] += share * grad[i];
    }
}

static void NAME(forward_plane)(const resampling* r, const T* x, T* mixed, T* out) {
    const axis_map *d = &r->axes[DEPTH], *h = &r->axes[HEIGHT], *w = &r->axes[WIDTH];
    for (int64_t row = 0; row < d->out * h->out; row++, out += w->out) {
        int64_t od = row / h->out, oh = row % h->out;
        if (d->low[od] < 0 || h->low[oh] < 0) {
            for (int64_t i = 0; i < w->out; i++) out[i] = (T)r->constant;
            continue;
        }
        const T *low = x + (d->low[od] * h->in + h->low[oh]) * w->in;
        const T *high = x + (d->low[od] * h->in + h->high[oh]) * w->in;
        T share = (T)h->weight[oh];
        if (oh > 0 && share == 0 && h->weight[oh - 1] == 0 && h->low[oh - 1] == h->low[oh]) {
            memcpy(out, out - w->out, (size_t)w->out * sizeof(T)); /* same as the previous row */
            continue;
        }
        if (share != 0) {
            for (int64_t i = 0; i < w->in; i++) mixed[i] = (1 - share) * low[i] + share * high[i];
        }
        NAME(forward_row)(w, share != 0 ? mixed : low, (T)r->constant, out);
    }
}

/* Every element of the data appears exactly once in the result. */
static void NAME(backward_copy)(const resampling* r, const T* grad, T* dx) {
    const axis_map *d = &r->axes[DEPTH], *h = &r->axes[HEIGHT], *w = &r->axes[WIDTH];
    for (int64_t od = d->run.begin; od < d->run.end; od++) {
        for (int64_t oh = h->run.begin; oh < h->run.end; oh++, dx += w->in)
            memcpy(dx, grad + (od * h->out + oh) * w->out + w->run.begin, (size_t)w->in * sizeof(T));
    }
}

static void NAME(backward_plane)(const resampling* r, const T* grad, T* mixed, T* dx) {
    const axis_map *d = &r->axes[DEPTH], *h = &r->axes[HEIGHT], *w = &r->axes[WIDTH];
    if (d->is_shifted_copy && h->is_shifted_copy && w->is_shifted_copy) return NAME(backward_copy)(r, grad, dx);
    memset(dx, 0, (size_t)(d->in * h->in * w->in) * sizeof(T));
    for (int64_t row = 0; row < d->out * h->out; row++, grad += w->out) {
        int64_t od = row / h->out, oh = row % h->out;
        if (d->low[od] < 0 || h->low[oh] < 0) continue;
        T *low = dx + (d->low[od] * h->in + h->low[oh]) * w->in;
        T *high = dx + (d->low[od] * h->in + h->high[oh]) * w->in;
        T share = (T)h->weight[oh];
        if (share == 0) {
            NAME(backward_row)(w, grad, low);
            continue;
        }
        memset(mixed, 0, (size_t)w->in * sizeof(T));
        NAME(backward_row)(w, grad, mixed);
        for (int64_t i = 0; i < w->in; i++) low[i] += (1 - share) * mixed[i];
        for (int64_t i = 0; i < w->in; i++) high[i] += share * mixed[i];
    }
}

static int32_t NAME(resample_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const resampling_work* work = (const resampling_work*)argument;
    const resampling* r = work->r;
    for (int64_t plane = begin; plane < end; plane++) {
        T *data = (T*)work->data + plane * r->in_size, *out = (T*)work->out + plane * r->out_size;
        if (work->backward) NAME(backward_plane)(r, out, (T*)worker->scratch, data);
        else NAME(forward_plane)(r, data, (T*)worker->scratch, out);
    }
    return OPFORGE_OK;
}
