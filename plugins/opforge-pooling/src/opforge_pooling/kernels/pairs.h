/* Windows of 2x2 that lie side by side, channels first: what halves pictures in most networks. Their
 * elements, two rows of pairs, are read where they are, those of eight windows at once. Included once for
 * each type. A unit of work is a row of windows. */

/* Where a row of windows begins in its plane. */
static inline int64_t NAME(above)(const plan* p, int64_t row) {
    const axis* a = p->axes;
    return row / a[HEIGHT].out * p->in_size + row % a[HEIGHT].out * 2 * a[WIDTH].in;
}

typedef T NAME(eight) __attribute__((vector_size(AT_ONCE * sizeof(T))));
typedef T NAME(sixteen) __attribute__((vector_size(2 * AT_ONCE * sizeof(T))));
typedef INDEX NAME(places) __attribute__((vector_size(AT_ONCE * sizeof(INDEX))));

static inline void NAME(larger_eight)(NAME(eight) * best, NAME(places) * where, const NAME(eight) * x, INDEX tap) {
    NAME(places) is = *x > *best;
    *best = (NAME(eight))((is & (NAME(places))*x) | (~is & (NAME(places))*best));
    *where = (is & tap) | (~is & *where);
}

static inline void NAME(pool_eight)(const plan* p, const T* top, const T* bottom, T* out, uint8_t* place) {
    NAME(sixteen) a, b;
    memcpy(&a, top, sizeof a);
    memcpy(&b, bottom, sizeof b);
    const NAME(eight) x[] = {FIRST_OF_PAIRS(a), SECOND_OF_PAIRS(a), FIRST_OF_PAIRS(b), SECOND_OF_PAIRS(b)};
    NAME(eight) found;
    if (p->kind == SUM) {
        found = (x[0] + x[1] + x[2] + x[3]) / (T)(p->average ? 4 : 1);
    } else {
        NAME(places) where = UINT8_MAX - (NAME(places)){0};
        found = (T)p->lowest - (NAME(eight)){0};
        for (INDEX tap = 0; tap < 4; tap++) NAME(larger_eight)(&found, &where, &x[tap], tap);
        eight_bytes narrow = __builtin_convertvector(where, eight_bytes);
        memcpy(place, &narrow, sizeof narrow);
    }
    memcpy(out, &found, sizeof found);
}

static inline void NAME(spread_eight)(const plan* p, const T* grad, const uint8_t* place, T* top, T* bottom) {
    NAME(eight) share, of[4];
    memcpy(&share, grad, sizeof share);
    if (p->kind == SUM) {
        share /= (T)(p->average ? 4 : 1);
        for (int tap = 0; tap < 4; tap++) of[tap] = share;
    } else {
        eight_bytes narrow;
        memcpy(&narrow, place, sizeof narrow);
        NAME(places) where = __builtin_convertvector(narrow, NAME(places));
        for (INDEX tap = 0; tap < 4; tap++) of[tap] = (NAME(eight))((where == tap) & (NAME(places))share);
    }
    NAME(sixteen) a = AS_PAIRS(of[0], of[1]), b = AS_PAIRS(of[2], of[3]);
    memcpy(top, &a, sizeof a);
    memcpy(bottom, &b, sizeof b);
}

static void NAME(pool_pairs)(const plan* p, const opforge_call* call, char* scratch, int64_t begin, int64_t end) {
    const int64_t n = p->axes[WIDTH].out;
    uint8_t none[AT_ONCE];
    (void)scratch;
    for (int64_t row = begin; row < end; row++) {
        const T* top = (const T*)call->inputs[0].data + NAME(above)(p, row);
        const T* bottom = top + p->axes[WIDTH].in;
        T* out = (T*)call->outputs[0].data + row * n;
        uint8_t* places = p->kind == MAXIMUM ? (uint8_t*)call->outputs[1].data + row * n : NULL;
        for (int64_t i = 0; i < n; i = next_eight(i, n))
            NAME(pool_eight)(p, top + 2 * i, bottom + 2 * i, out + i, places == NULL ? none : places + i);
    }
}

static void NAME(spread_pairs)(const plan* p, const opforge_call* call, char* scratch, int64_t begin, int64_t end) {
    const axis* a = p->axes;
    const int64_t n = a[WIDTH].out, width = a[WIDTH].in;
    const uint8_t none[AT_ONCE] = {0};
    (void)scratch;
    for (int64_t row = begin; row < end; row++) {
        const T* grad = (const T*)call->out_grads[0].data + row * n;
        const uint8_t* places = p->kind == MAXIMUM ? (const uint8_t*)call->outputs[1].data + row * n : NULL;
        T *top = (T*)call->in_grads[0].data + NAME(above)(p, row), *bottom = top + width;
        for (int64_t i = 0; i < n; i = next_eight(i, n))
            NAME(spread_eight)(p, grad + i, places == NULL ? none : places + i, top + 2 * i, bottom + 2 * i);
        /* What is under no window: last columns, and behind a plane's last row of windows last rows. */
        for (int64_t x = 2 * n; x < width; x++) top[x] = bottom[x] = 0;
        int64_t rest = row % a[HEIGHT].out == a[HEIGHT].out - 1 ? a[HEIGHT].in - 2 * a[HEIGHT].out : 0;
        memset(bottom + width, 0, (size_t)(rest * width) * sizeof(T));
    }
}
