/* Accumulation of one element into each window of a row. Included once for each type. */

/* Update the running maxima and their positions; NaN compares as not larger than anything. */
static void NAME(update_max)(T* restrict best, INDEX* restrict argmax, const T* restrict x, INDEX tap, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        int is = x[i] > best[i];
        best[i] = is ? x[i] : best[i];
        argmax[i] = is ? tap : argmax[i];
    }
}

static void NAME(add)(T* restrict total, const T* restrict x, int power, int64_t n) {
    if (power == 1) {
        for (int64_t i = 0; i < n; i++) total[i] += x[i];
    } else if (power == 2) {
        for (int64_t i = 0; i < n; i++) total[i] += x[i] * x[i];
    } else {
        for (int64_t i = 0; i < n; i++) total[i] += x[i] * x[i] * x[i];
    }
}

static void NAME(reset)(const plan* p, T* value, INDEX* argmax, int64_t n) {
    T first = p->kind == MAXIMUM ? (T)p->lowest : 0;
    for (int64_t i = 0; i < n; i++) value[i] = first;
    if (p->kind == MAXIMUM) {
        for (int64_t i = 0; i < n; i++) argmax[i] = -1;
    }
}

static inline void NAME(visit)(const plan* p, T* value, INDEX* argmax, const T* x, INDEX tap, int64_t n) {
    if (p->kind == MAXIMUM) NAME(update_max)(value, argmax, x, tap, n);
    else NAME(add)(value, x, p->power, n);
}

/* Turn the sum of a window into an average or a norm. */
static inline T NAME(finish_sum)(const plan* p, T sum, int64_t count) {
    if (p->average) return sum / (T)count;
    if (p->power == 2) return (T)sqrt((double)sum);
    return p->power == 3 ? (T)cbrt((double)sum) : sum;
}

/* The part of a window's gradient that each of its elements receives; p-norms multiply it by
 * `inner_derivative`. */
static inline T NAME(element_share)(const plan* p, T grad, T output, int64_t count) {
    if (p->average) return grad / (T)count;
    if (p->power == 1) return grad;
    T under = p->power == 2 ? output : output * output;
    return under == 0 ? 0 : grad / under;
}

static inline T NAME(inner_derivative)(const plan* p, T x) {
    return p->power == 1 ? 1 : p->power == 2 ? x : x * x;
}

/* Store positions in the type that fits the window. "No maximum", -1, becomes 255 as uint8. */
static void NAME(store_argmax)(const plan* p, void* stored, int64_t at, const INDEX* argmax, int64_t n) {
    if (p->taps <= MAX_UINT8_TAPS) {
        uint8_t* to = (uint8_t*)stored + at;
        for (int64_t i = 0; i < n; i++) to[i] = (uint8_t)argmax[i];
    } else {
        int32_t* to = (int32_t*)stored + at;
        for (int64_t i = 0; i < n; i++) to[i] = (int32_t)argmax[i];
    }
}
