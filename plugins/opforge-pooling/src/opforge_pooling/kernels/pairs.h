/* Pooling with 2x2 windows, stride 2 and no padding, channels first: the usual way to halve images. The
 * elements of eight windows, two rows of pairs, are read in place with vector loads. Included once for each
 * type. A unit of work is a row of windows. */

/* The offset in its plane of the first element of a row of windows. */
static inline int64_t NAME(first_row_offset)(const plan* p, int64_t row) {
    const axis* a = p->axes;
    return row / a[HEIGHT].out * p->in_size + row % a[HEIGHT].out * 2 * a[WIDTH].in;
}

typedef T NAME(eight) __attribute__((vector_size(LANES * sizeof(T))));
typedef T NAME(sixteen) __attribute__((vector_size(2 * LANES * sizeof(T))));
typedef INDEX NAME(eight_indices) __attribute__((vector_size(LANES * sizeof(INDEX))));

static inline void NAME(update_max_eight)(NAME(eight) * best, NAME(eight_indices) * argmax, const NAME(eight) * x, INDEX tap) {
    NAME(eight_indices) is = *x > *best;
    *best = (NAME(eight))((is & (NAME(eight_indices))*x) | (~is & (NAME(eight_indices))*best));
    *argmax = (is & tap) | (~is & *argmax);
}

static inline void NAME(pool_eight)(const plan* p, const T* top, const T* bottom, T* out, uint8_t* argmax) {
    NAME(sixteen) a, b;
    memcpy(&a, top, sizeof a);
    memcpy(&b, bottom, sizeof b);
    const NAME(eight) x[] = {FIRST_OF_PAIRS(a), SECOND_OF_PAIRS(a), FIRST_OF_PAIRS(b), SECOND_OF_PAIRS(b)};
    NAME(eight) found;
    if (p->kind == SUM) {
        found = (x[0] + x[1] + x[2] + x[3]) / (T)(p->average ? 4 : 1);
    } else {
        NAME(eight_indices) wide = UINT8_MAX - (NAME(eight_indices)){0};
        found = (T)p->lowest - (NAME(eight)){0};
        for (INDEX tap = 0; tap < 4; tap++) NAME(update_max_eight)(&found, &wide, &x[tap], tap);
        eight_bytes narrow = __builtin_convertvector(wide, eight_bytes);
        memcpy(argmax, &narrow, sizeof narrow);
    }
    memcpy(out, &found, sizeof found);
}

static inline void NAME(spread_eight)(const plan* p, const T* grad, const uint8_t* argmax, T* top, T* bottom) {
    NAME(eight) share, of[4];
    memcpy(&share, grad, sizeof share);
    if (p->kind == SUM) {
        share /= (T)(p->average ? 4 : 1);
        for (int tap = 0; tap < 4; tap++) of[tap] = share;
    } else {
        eight_bytes narrow;
        memcpy(&narrow, argmax, sizeof narrow);
        NAME(eight_indices) wide = __builtin_convertvector(narrow, NAME(eight_indices));
        for (INDEX tap = 0; tap < 4; tap++) of[tap] = (NAME(eight))((wide == tap) & (NAME(eight_indices))share);
    }
    NAME(sixteen) a = AS_PAIRS(of[0], of[1]), b = AS_PAIRS(of[2], of[3]);
    memcpy(top, &a, sizeof a);
    memcpy(bottom, &b, sizeof b);
}

static void NAME(pool_pairs)(const plan* p, const opforge_call* call, char* scratch, int64_t begin, int64_t end) {
    const int64_t n = p->axes[WIDTH].out;
    uint8_t none[LANES];
    (void)scratch;
    for (int64_t row = begin; row < end; row++) {
        const T* top = (const T*)call->inputs[0].data + NAME(first_row_offset)(p, row);
        const T* bottom = top + p->axes[WIDTH].in;
        T* out = (T*)call->outputs[0].data + row * n;
        uint8_t* argmax = p->kind == MAXIMUM ? (uint8_t*)call->outputs[1].data + row * n : NULL;
        for (int64_t i = 0; i < n; i = next_eight(i, n))
            NAME(pool_eight)(p, top + 2 * i, bottom + 2 * i, out + i, argmax == NULL ? none : argmax + i);
    }
}

static void NAME(spread_pairs)(const plan* p, const opforge_call* call, char* scratch, int64_t begin, int64_t end) {
    const axis* a = p->axes;
    const int64_t n = a[WIDTH].out, width = a[WIDTH].in;
    const uint8_t none[LANES] = {0};
    (void)scratch;
    for (int64_t row = begin; row < end; row++) {
        const T* grad = (const T*)call->out_grads[0].data + row * n;
        const uint8_t* argmax = p->kind == MAXIMUM ? (const uint8_t*)call->outputs[1].data + row * n : NULL;
        T *top = (T*)call->in_grads[0].data + NAME(first_row_offset)(p, row), *bottom = top + width;
        for (int64_t i = 0; i < n; i = next_eight(i, n))
            NAME(spread_eight)(p, grad + i, argmax == NULL ? none : argmax + i, top + 2 * i, bottom + 2 * i);
        /* Elements outside all windows: the last column, and after the last row of windows the last row. */
        for (int64_t x = 2 * n; x < width; x++) top[x] = bottom[x] = 0;
        int64_t rest = row % a[HEIGHT].out == a[HEIGHT].out - 1 ? a[HEIGHT].in - 2 * a[HEIGHT].out : 0;
        memset(bottom + width, 0, (size_t)(rest * width) * sizeof(T));
    }
}
