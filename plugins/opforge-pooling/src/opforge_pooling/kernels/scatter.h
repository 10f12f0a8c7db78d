/* Gradient of maxima: each goes where its maximum was. Included once for each type. A unit of work is
 * the plane of an image and channel, with channels last that of an image and some channels. */

/* The position of each result of a row, as a number of its window; negative where there was none. */
static inline int64_t NAME(tap_of)(const plan* p, const void* places, int64_t at) {
    if (p->taps > MOST_NARROW) return ((const int32_t*)places)[at];
    uint8_t tap = ((const uint8_t*)places)[at];
    return tap == UINT8_MAX ? -1 : tap;
}

static inline void NAME(scatter_row)(const plan* p, const T* grad, const void* places, T* dx, int64_t at, int64_t n,
                                     const int64_t* offsets, int64_t start, int64_t step) {
    const uint64_t size = (uint64_t)(p->in_size * p->inner);
    for (int64_t i = 0; i < n; i++, start += step) {
        int64_t tap = NAME(tap_of)(p, places, at + i);
        if (tap < 0 || tap >= p->taps) continue;
        /* A place outside of the plane cannot come from forward. */
        uint64_t to = (uint64_t)(start + offsets[tap]);
        if (to < size) dx[to] += grad[at + i];
    }
}

static void NAME(scatter_units)(const plan* p, const opforge_call* call, char* scratch, int64_t begin, int64_t end) {
    const axis* a = p->axes;
    const int64_t blocks = (p->inner + MOST_CHANNELS - 1) / MOST_CHANNELS;
    const T* grad = (const T*)call->out_grads[0].data;
    const void* places = call->outputs[1].data;
    (void)scratch;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t first = unit % blocks * MOST_CHANNELS, n = least(MOST_CHANNELS, p->inner - first);
        T* dx = (T*)call->in_grads[0].data + unit / blocks * p->in_size * p->inner;
        int64_t runs = n == p->inner ? 1 : p->in_size, run = n == p->inner ? p->in_size * n : n;
        for (int64_t i = 0; i < runs; i++) memset(dx + i * p->inner + first, 0, (size_t)run * sizeof(T));
        for (int64_t row = 0; row < a[DEPTH].out * a[HEIGHT].out; row++) {
            int64_t d = row / a[HEIGHT].out * a[DEPTH].stride - a[DEPTH].pad;
            int64_t h = row % a[HEIGHT].out * a[HEIGHT].stride - a[HEIGHT].pad;
            int64_t start = (d * a[HEIGHT].in + h) * a[WIDTH].in - a[WIDTH].pad;
            int64_t at = (unit / blocks * p->out_size + row * a[WIDTH].out) * p->inner + first;
            if (p->inner == 1) {
                NAME(scatter_row)(p, grad, places, dx, at, a[WIDTH].out, p->offsets, start, a[WIDTH].stride);
                continue;
            }
            for (int64_t ow = 0; ow < a[WIDTH].out; ow++, at += p->inner, start += a[WIDTH].stride)
                NAME(scatter_row)(p, grad, places, dx, at, n, p->offsets, start * p->inner + first, 1);
        }
    }
}
