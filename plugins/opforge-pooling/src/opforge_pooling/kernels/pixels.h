/* Channels last: the channels of a pixel are contiguous, so each window is reduced as a vector. Included
 * once for each type. A unit of work is a row of windows, in backward a row of elements. */

static inline T NAME(pixel_share)(const plan* p, const opforge_call* call, int64_t at, int64_t c, int64_t count) {
    T out = p->power > 1 ? ((const T*)call->outputs[0].data)[at + c] : 0;
    return NAME(element_share)(p, ((const T*)call->out_grads[0].data)[at + c], out, count);
}

static int64_t NAME(divisor_at)(const plan* p, int64_t od, int64_t oh, int64_t ow) {
    return p->average ? p->axes[DEPTH].divisors[od] * p->axes[HEIGHT].divisors[oh] * p->axes[WIDTH].divisors[ow] : 1;
}

typedef uint8_t NAME(bytes) __attribute__((vector_size(VECTOR_LANES)));

/* Store the taps of the first `n` lanes, as `store_argmax` does. */
OF_INLINE void NAME(store_taps)(const plan* p, void* positions, int64_t at, V(mask) taps, int64_t n) {
    if (p->taps <= MAX_UINT8_TAPS && n == VECTOR_LANES) {
        NAME(bytes) bytes = __builtin_convertvector(taps, NAME(bytes));
        memcpy((uint8_t*)positions + at, &bytes, sizeof bytes);
        return;
    }
    INDEX each[VECTOR_LANES];
    memcpy(each, &taps, sizeof each);
    NAME(store_argmax)(p, positions, at, each, n);
}

/* The maxima of a vector of channels, `n` of which exist, and their taps, in windows of `columns`. */
OF_INLINE void NAME(pool_columns)(const plan* p, const span* w, const int64_t columns, const T* x, T* value,
                                  void* positions, int64_t at, int64_t n) {
    const axis* a = p->axes;
    VECTOR best = V(splat)((T)p->lowest);
    V(mask) argmax = (V(mask)){0} - 1;
    for (int64_t d = w->axes[DEPTH].begin, td = w->first[DEPTH]; d < w->axes[DEPTH].end; d++, td++) {
        for (int64_t h = w->axes[HEIGHT].begin, th = w->first[HEIGHT]; h < w->axes[HEIGHT].end; h++, th++) {
            const T* row = x + ((d * a[HEIGHT].in + h) * a[WIDTH].in + w->axes[WIDTH].begin) * p->inner;
            INDEX tap = (INDEX)((td * a[HEIGHT].window + th) * a[WIDTH].window + w->first[WIDTH]);
            for (int64_t c = 0; c < columns; c++) {
                VECTOR now = V(load_some)(row + c * p->inner, n);
                V(mask) is = now > best;
                best = V(max)(now, best); /* not NaN */
                argmax = (is & (tap + (INDEX)c)) | (~is & argmax);
            }
        }
    }
    V(store_some)(value, best, n);
    NAME(store_taps)(p, positions, at, argmax, min64(n, VECTOR_LANES));
}

/* The same; common windows are compiled separately. */
static void NAME(pool_maxima)(const plan* p, const span* w, const T* x, T* value, void* positions, int64_t at,
                              int64_t n) {
    int64_t columns = w->axes[WIDTH].end - w->axes[WIDTH].begin;
    if (columns == 3) NAME(pool_columns)(p, w, 3, x, value, positions, at, n);
    else if (columns == 2) NAME(pool_columns)(p, w, 2, x, value, positions, at, n);
    else NAME(pool_columns)(p, w, columns, x, value, positions, at, n);
}

OF_INLINE VECTOR NAME(powered)(VECTOR x, int power) { return power == 1 ? x : power == 2 ? x * x : x * x * x; }

/* The sums, averages or norms of a vector of channels. */
OF_INLINE void NAME(pool_sums)(const plan* p, const span* w, const T* x, T* value, int64_t count, int64_t n) {
    const axis* a = p->axes;
    VECTOR total = {0};
    for (int64_t d = w->axes[DEPTH].begin; d < w->axes[DEPTH].end; d++) {
        for (int64_t h = w->axes[HEIGHT].begin; h < w->axes[HEIGHT].end; h++) {
            const T* row = x + (d * a[HEIGHT].in + h) * a[WIDTH].in * p->inner;
            for (int64_t c = w->axes[WIDTH].begin; c < w->axes[WIDTH].end; c++) {
                total += NAME(powered)(V(load_some)(row + c * p->inner, n), p->power);
            }
        }
    }
    if (p->average) total /= V(splat)((T)count);
    V(store_some)(value, total, n);
    for (int64_t c = 0; p->power > 1 && c < min64(n, VECTOR_LANES); c++) value[c] = NAME(finish_sum)(p, value[c], count);
}

static void NAME(pool_pixels)(const plan* p, const opforge_call* call, char* scratch, int64_t begin, int64_t end) {
    const axis* a = p->axes;
    const int64_t rows = a[DEPTH].out * a[HEIGHT].out;
    (void)scratch;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t od = unit % rows / a[HEIGHT].out, oh = unit % a[HEIGHT].out;
        const T* plane = (const T*)call->inputs[0].data + unit / rows * p->in_size * p->inner;
        span w;
        set_span(p, &w, DEPTH, od);
        set_span(p, &w, HEIGHT, oh);
        for (int64_t ow = 0; ow < a[WIDTH].out; ow++) {
            const int64_t at = (unit * a[WIDTH].out + ow) * p->inner;
            T* value = (T*)call->outputs[0].data + at;
            set_span(p, &w, WIDTH, ow);
            for (int64_t c = 0; c < p->inner; c += VECTOR_LANES) {
                int64_t n = p->inner - c;
                if (p->kind == MAXIMUM) {
                    NAME(pool_maxima)(p, &w, plane + c, value + c, call->outputs[1].data, at + c, n);
                } else {
                    NAME(pool_sums)(p, &w, plane + c, value + c, NAME(divisor_at)(p, od, oh, ow), n);
                }
            }
        }
    }
}

static void NAME(spread_to_pixel)(const plan* p, const opforge_call* call, int64_t image, const range* outputs,
                                  T* dx) {
    const axis* a = p->axes;
    for (int64_t od = outputs[DEPTH].begin; od < outputs[DEPTH].end; od++) {
        for (int64_t oh = outputs[HEIGHT].begin; oh < outputs[HEIGHT].end; oh++) {
            for (int64_t ow = outputs[WIDTH].begin; ow < outputs[WIDTH].end; ow++) {
                int64_t at = image * p->out_size + (od * a[HEIGHT].out + oh) * a[WIDTH].out + ow;
                int64_t count = NAME(divisor_at)(p, od, oh, ow);
                for (int64_t c = 0; c < p->inner; c++) dx[c] += NAME(pixel_share)(p, call, at * p->inner, c, count);
            }
        }
    }
}

static void NAME(spread_pixels)(const plan* p, const opforge_call* call, char* scratch, int64_t begin, int64_t end) {
    const axis* a = p->axes;
    const int64_t rows = a[DEPTH].in * a[HEIGHT].in;
    (void)scratch;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t d = unit % rows / a[HEIGHT].in, h = unit % a[HEIGHT].in;
        range outputs[3] = {output_range(&a[DEPTH], d), output_range(&a[HEIGHT], h)};
        for (int64_t w = 0; w < a[WIDTH].in; w++) {
            int64_t at = (unit * a[WIDTH].in + w) * p->inner;
            T* dx = (T*)call->in_grads[0].data + at;
            outputs[WIDTH] = output_range(&a[WIDTH], w);
            memset(dx, 0, (size_t)p->inner * sizeof(T));
            NAME(spread_to_pixel)(p, call, unit / rows, outputs, dx);
            if (p->power == 1) continue;
            const T* x = (const T*)call->inputs[0].data + at;
            for (int64_t c = 0; c < p->inner; c++) dx[c] *= NAME(inner_derivative)(p, x[c]);
        }
    }
}
