/* Gradient of maxima: each is added at the position of its maximum. Included once for each type. A unit of
 * work is the plane of one image and channel; with channels last, of one image and a block of channels. */

/* The position of a maximum within its window; negative if the window had none. */
static inline int64_t NAME(tap_of)(const plan* p, const void* argmax, int64_t at) {
    if (p->taps > MAX_UINT8_TAPS) return ((const int32_t*)argmax)[at];
    uint8_t tap = ((const uint8_t*)argmax)[at];
    return tap == UINT8_MAX ? -1 : tap;
}

static inline void NAME(scatter_row)(const plan* p, const T* grad, const void* argmax, T* dx, int64_t at, int64_t n,
                                     const int64_t* offsets, int64_t start, int64_t step) {
    const uint64_t size = (uint64_t)(p->in_size * p->inner);
    for (int64_t i = 0; i < n; i++, start += step) {
        int64_t tap = NAME(tap_of)(p, argmax, at + i);
        if (tap < 0 || tap >= p->taps) continue;
        /* Forward never stores a position outside the plane; a corrupted one must not write there. */
        uint64_t to = (uint64_t)(start + offsets[tap]);
        if (to < size) dx[to] += grad[at + i];
    }
}

static void NAME(scatter_units)(const plan* p, const opforge_call* call, char* scratch, int64_t begin, int64_t end) {
    const axis* a = p->axes;
    const int64_t blocks = (p->inner + MAX_CHANNELS - 1) / MAX_CHANNELS;
    const T* grad = (const T*)call->out_grads[0].data;
    const void* argmax = call->outputs[1].data;
    (void)scratch;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t first = unit % blocks * MAX_CHANNELS, n = min64(MAX_CHANNELS, p->inner - first);
        T* dx = (T*)call->in_grads[0].data + unit / blocks * p->in_size * p->inner;
        int64_t runs = n == p->inner ? 1 : p->in_size, run = n == p->inner ? p->in_size * n : n;
        for (int64_t i = 0; i < runs; i++) memset(dx + i * p->inner + first, 0, (size_t)run * sizeof(T));
        for (int64_t row = 0; row < a[DEPTH].out * a[HEIGHT].out; row++) {
            int64_t d = row / a[HEIGHT].out * a[DEPTH].stride - a[DEPTH].pad;
            int64_t h = row % a[HEIGHT].out * a[HEIGHT].stride - a[HEIGHT].pad;
            int64_t start = (d * a[HEIGHT].in + h) * a[WIDTH].in - a[WIDTH].pad;
            int64_t at = (unit / blocks * p->out_size + row * a[WIDTH].out) * p->inner + first;
            if (p->inner == 1) {
                NAME(scatter_row)(p, grad, argmax, dx, at, a[WIDTH].out, p->offsets, start, a[WIDTH].stride);
                continue;
            }
            for (int64_t ow = 0; ow < a[WIDTH].out; ow++, at += p->inner, start += a[WIDTH].stride)
                NAME(scatter_row)(p, grad, argmax, dx, at, n, p->offsets, start * p->inner + first, 1);
        }
    }
}
