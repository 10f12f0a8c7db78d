/* Channels first: the windows of an output row are computed side by side in vector lanes. Included once
 * for each type.
 *
 * With stride s, adjacent lanes read elements that are s apart in the image. A row of the image is
 * therefore split into s phases, each with every s-th element and its padding. For column k of their
 * windows, all windows of a row then read contiguous elements of phase k % s, starting at k / s. A row is
 * split once for all windows that contain it. Planes with short rows are processed side by side. */

/* The memory of a worker. */
typedef struct NAME(row_buffers) {
    int64_t pitch, lanes, phases, slots; /* elements of a phase; of all planes; phases; cached rows */
    int64_t* rows;                       /* for each slot, the row of the image that it holds */
    T *packed, *value;
    INDEX* argmax;
} NAME(row_buffers);

static int64_t NAME(planes_at_once)(const plan* p) { return max64(1, SUM_LANES / max64(1, p->axes[WIDTH].out)); }

static int64_t NAME(lay_out_buffers)(const plan* p, NAME(row_buffers) * b, char* memory) {
    const axis* a = p->axes;
    b->pitch = (a[WIDTH].window - 1) / a[WIDTH].stride + a[WIDTH].out;
    b->lanes = b->pitch * NAME(planes_at_once)(p);
    b->phases = min64(a[WIDTH].stride, a[WIDTH].window);
    b->slots = min64(a[DEPTH].window, a[DEPTH].in) * min64(a[HEIGHT].window, a[HEIGHT].in);
    int64_t row = b->lanes * b->phases * (int64_t)sizeof(T);
    int64_t sizes[] = {b->slots * (int64_t)sizeof *b->rows, b->slots * row, b->lanes * (int64_t)sizeof(T),
                       b->lanes * (int64_t)sizeof(INDEX)};
    int64_t at[5] = {0};
    for (int i = 0; i < 4; i++) at[i + 1] = (at[i] + sizes[i] + 63) / 64 * 64;
    if (memory != NULL) {
        b->rows = (int64_t*)memory;
        b->packed = (T*)(memory + at[1]);
        b->value = (T*)(memory + at[2]);
        b->argmax = (INDEX*)(memory + at[3]);
    }
    return at[4];
}

/* The elements of a phase that are inside the image: `x[i * stride]` is element `range.begin + i`. */
static inline range NAME(valid_range)(const axis* a, int64_t phase, int64_t pitch) {
    int64_t begin = min64(ceil_div(a->pad - phase, a->stride), pitch);
    return (range){begin, max64(begin, min64(ceil_div(a->in + a->pad - phase, a->stride), pitch))};
}

static void NAME(split_phases)(const axis* a, const T* row, T outside, T* packed, int64_t phases, int64_t pitch,
                       int64_t lanes) {
    for (int64_t phase = 0; phase < phases; phase++, packed += lanes) {
        range in = NAME(valid_range)(a, phase, pitch);
        const T* from = row + in.begin * a->stride + phase - a->pad;
        int64_t n = in.end - in.begin;
        T* to = packed + in.begin;
        for (int64_t i = 0; i < in.begin; i++) packed[i] = outside;
        for (int64_t i = in.end; i < pitch; i++) packed[i] = outside;
        /* With a constant stride the compiler emits shuffles. */
        if (a->stride == 1) memcpy(to, from, (size_t)n * sizeof(T));
        else if (a->stride == 2) for (int64_t i = 0; i < n; i++) to[i] = from[2 * i];
        else for (int64_t i = 0; i < n; i++) to[i] = from[i * a->stride];
    }
}

/* The phases of a row of `planes` planes, split now unless they are cached. */
static const T* NAME(packed_row)(const plan* p, const NAME(row_buffers) * b, const T* data, int64_t planes, int64_t d,
                             int64_t h) {
    const axis* a = p->axes;
    int64_t row = d * a[HEIGHT].in + h, tall = min64(a[HEIGHT].window, a[HEIGHT].in);
    int64_t slot = d % min64(a[DEPTH].window, a[DEPTH].in) * tall + h % tall;
    T* packed = b->packed + slot * b->phases * b->lanes;
    if (b->rows[slot] == row) return packed;
    b->rows[slot] = row;
    T outside = p->kind == MAXIMUM ? (T)p->lowest : 0;
    for (int64_t plane = 0; plane < planes; plane++) {
        NAME(split_phases)(&a[WIDTH], data + plane * p->in_size + row * a[WIDTH].in, outside, packed + plane * b->pitch,
                   b->phases, b->pitch, b->lanes);
    }
    return packed;
}

static void NAME(pool_row)(const plan* p, const NAME(row_buffers) * b, const T* data, int64_t planes, int64_t od,
                           int64_t oh) {
    const axis* a = p->axes;
    range depths = window_range(&a[DEPTH], od), heights = window_range(&a[HEIGHT], oh);
    int64_t n = (planes - 1) * b->pitch + a[WIDTH].out;
    NAME(reset)(p, b->value, b->argmax, n);
    for (int64_t d = depths.begin; d < depths.end; d++) {
        for (int64_t h = heights.begin; h < heights.end; h++) {
            const T* row = NAME(packed_row)(p, b, data, planes, d, h);
            int64_t tap = (tap_index(&a[DEPTH], od, d) * a[HEIGHT].window + tap_index(&a[HEIGHT], oh, h)) * a[WIDTH].window;
            for (int64_t k = 0; k < a[WIDTH].window; k++) {
                const T* x = row + k % a[WIDTH].stride * b->lanes + k / a[WIDTH].stride;
                NAME(visit)(p, b->value, b->argmax, x, (INDEX)(tap + k), n);
            }
        }
    }
}

/* Include the zeros of the padding in the maxima of a row, as Pooling_v1 does; they have no position. */
static void NAME(include_zero_padding)(const plan* p, T* value, INDEX* argmax, int64_t od, int64_t oh) {
    const axis* a = p->axes;
    range depths = window_range(&a[DEPTH], od), heights = window_range(&a[HEIGHT], oh);
    int64_t rows = (depths.end - depths.begin) * (heights.end - heights.begin);
    for (int64_t i = 0; i < a[WIDTH].out; i++) {
        range widths = window_range(&a[WIDTH], i);
        int64_t all = a[DEPTH].divisors[od] * a[HEIGHT].divisors[oh] * a[WIDTH].divisors[i];
        if (value[i] >= 0 || all <= rows * (widths.end - widths.begin)) continue;
        value[i] = 0;
        argmax[i] = -1;
    }
}

static void NAME(pool_planes)(const plan* p, const opforge_call* call, char* scratch, int64_t begin, int64_t end) {
    NAME(row_buffers) b;
    const axis* a = p->axes;
    NAME(lay_out_buffers)(p, &b, scratch);
    const int64_t max_planes = NAME(planes_at_once)(p);
    for (int64_t first = begin; first < end; first += max_planes) {
        int64_t planes = min64(max_planes, end - first);
        const T* data = (const T*)call->inputs[0].data + first * p->in_size;
        for (int64_t slot = 0; slot < b.slots; slot++) b.rows[slot] = -1;
        for (int64_t row = 0; row < a[DEPTH].out * a[HEIGHT].out; row++) {
            int64_t od = row / a[HEIGHT].out, oh = row % a[HEIGHT].out;
            NAME(pool_row)(p, &b, data, planes, od, oh);
            int64_t count = p->average ? a[DEPTH].divisors[od] * a[HEIGHT].divisors[oh] : 1;
            for (int64_t plane = 0; plane < planes; plane++) {
                T* value = b.value + plane * b.pitch;
                INDEX* argmax = b.argmax + plane * b.pitch;
                int64_t at = (first + plane) * p->out_size + row * a[WIDTH].out;
                T* out = (T*)call->outputs[0].data + at;
                if (p->kind == MAXIMUM) {
                    if (p->zero_padding) NAME(include_zero_padding)(p, value, argmax, od, oh);
                    memcpy(out, value, (size_t)a[WIDTH].out * sizeof(T));
                    NAME(store_argmax)(p, call->outputs[1].data, at, argmax, a[WIDTH].out);
                } else {
                    for (int64_t i = 0; i < a[WIDTH].out; i++)
                        out[i] = NAME(finish_sum)(p, value[i], p->average ? count * a[WIDTH].divisors[i] : 1);
                }
            }
        }
    }
}

/* Gradient of sums: an element receives a share from every window that contains it. For each row of
 * elements, the shares of all rows of windows that contain it are added, then distributed over the phases
 * of the row, which are interleaved at the end. */
static int64_t NAME(spread_bytes)(const plan* p) {
    NAME(row_buffers) b;
    NAME(lay_out_buffers)(p, &b, NULL);
    return (p->out_size + p->axes[WIDTH].out + b.pitch * b.phases) * (int64_t)sizeof(T);
}

static void NAME(compute_shares)(const plan* p, const T* grad, const T* out, T* shared) {
    const axis* a = p->axes;
    for (int64_t row = 0; row < a[DEPTH].out * a[HEIGHT].out; row++) {
        int64_t count = p->average ? a[DEPTH].divisors[row / a[HEIGHT].out] * a[HEIGHT].divisors[row % a[HEIGHT].out] : 1;
        for (int64_t i = 0, at = row * a[WIDTH].out; i < a[WIDTH].out; i++, at++)
            shared[at] = NAME(element_share)(p, grad[at], p->power > 1 ? out[at] : 0,
                                      p->average ? count * a[WIDTH].divisors[i] : 1);
    }
}

static void NAME(spread_row)(const plan* p, const T* shared, T* total, T* packed, int64_t row, T* to) {
    const axis *a = p->axes, *w = &a[WIDTH];
    const int64_t pitch = (w->window - 1) / w->stride + w->out, phases = min64(w->stride, w->window);
    range depths = output_range(&a[DEPTH], row / a[HEIGHT].in), heights = output_range(&a[HEIGHT], row % a[HEIGHT].in);
    memset(total, 0, (size_t)(w->out + pitch * phases) * sizeof(T)); /* `packed` follows it in memory */
    for (int64_t od = depths.begin; od < depths.end; od++) {
        for (int64_t oh = heights.begin; oh < heights.end; oh++)
            NAME(add)(total, shared + (od * a[HEIGHT].out + oh) * w->out, 1, w->out);
    }
    for (int64_t k = 0; k < w->window; k++)
        NAME(add)(packed + k % w->stride * pitch + k / w->stride, total, 1, w->out);
    memset(to, 0, (size_t)w->in * sizeof(T)); /* some elements are in no window */
    for (int64_t phase = 0; phase < phases; phase++, packed += pitch) {
        range in = NAME(valid_range)(w, phase, pitch);
        T* at = to + in.begin * w->stride + phase - w->pad;
        const T* from = packed + in.begin;
        int64_t n = in.end - in.begin;
        if (w->stride == 2) for (int64_t i = 0; i < n; i++) at[2 * i] = from[i];
        else for (int64_t i = 0; i < n; i++) at[i * w->stride] = from[i];
    }
}

static void NAME(spread_planes)(const plan* p, const opforge_call* call, char* scratch, int64_t begin, int64_t end) {
    T *shared = (T*)scratch, *total = shared + p->out_size, *packed = total + p->axes[WIDTH].out;
    for (int64_t plane = begin; plane < end; plane++) {
        const T* out = p->power > 1 ? (const T*)call->outputs[0].data + plane * p->out_size : NULL;
        T* dx = (T*)call->in_grads[0].data + plane * p->in_size;
        NAME(compute_shares)(p, (const T*)call->out_grads[0].data + plane * p->out_size, out, shared);
        for (int64_t row = 0; row < p->axes[DEPTH].in * p->axes[HEIGHT].in; row++)
            NAME(spread_row)(p, shared, total, packed, row, dx + row * p->axes[WIDTH].in);
        if (p->power == 1) continue;
        const T* x = (const T*)call->inputs[0].data + plane * p->in_size;
        for (int64_t i = 0; i < p->in_size; i++) dx[i] *= NAME(inner_derivative)(p, x[i]);
    }
}
