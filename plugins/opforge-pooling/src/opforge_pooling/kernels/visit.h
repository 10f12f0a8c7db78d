/* What a window does with an element, for a row of windows at once. Included once for each type. */

/* The largest so far, and where it was; nan is not larger than anything. */
static void NAME(larger)(T* restrict best, INDEX* restrict where, const T* restrict x, INDEX tap, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        int is = x[i] > best[i];
        best[i] = is ? x[i] : best[i];
        where[i] = is ? tap : where[i];
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

static void NAME(start)(const plan* p, T* value, INDEX* where, int64_t n) {
    T first = p->kind == MAXIMUM ? (T)p->lowest : 0;
    for (int64_t i = 0; i < n; i++) value[i] = first;
    if (p->kind == MAXIMUM) {
        for (int64_t i = 0; i < n; i++) where[i] = -1;
    }
}

static inline void NAME(visit)(const plan* p, T* value, INDEX* where, const T* x, INDEX tap, int64_t n) {
    if (p->kind == MAXIMUM) NAME(larger)(value, where, x, tap, n);
    else NAME(add)(value, x, p->power, n);
}

/* The sum of a window, made an average or a norm. */
static inline T NAME(finished)(const plan* p, T sum, int64_t count) {
    if (p->average) return sum / (T)count;
    if (p->power == 2) return (T)sqrt((double)sum);
    return p->power == 3 ? (T)cbrt((double)sum) : sum;
}

/* What every element of a window gets of its gradient; p-norms multiply it by `inner_derivative`. */
static inline T NAME(shared)(const plan* p, T grad, T output, int64_t count) {
    if (p->average) return grad / (T)count;
    if (p->power == 1) return grad;
    T under = p->power == 2 ? output : output * output;
    return under == 0 ? 0 : grad / under;
}

static inline T NAME(inner_derivative)(const plan* p, T x) {
    return p->power == 1 ? 1 : p->power == 2 ? x : x * x;
}

/* Positions in the type that holds those of a window; none is the largest number. */
static void NAME(store_places)(const plan* p, void* places, int64_t at, const INDEX* where, int64_t n) {
    if (p->taps <= MOST_NARROW) {
        uint8_t* to = (uint8_t*)places + at;
        for (int64_t i = 0; i < n; i++) to[i] = (uint8_t)where[i];
    } else {
        int32_t* to = (int32_t*)places + at;
        for (int64_t i = 0; i < n; i++) to[i] = (int32_t)where[i];
    }
}
