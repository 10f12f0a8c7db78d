/* Global pooling, channels first: a reduction of contiguous elements in many lanes, which are combined at
 * the end. Included once for each type. */

static T NAME(sum_of)(const T* x, int64_t n, int power) {
    T lanes[SUM_LANES] = {0}, rest = 0;
    int64_t i = 0;
    for (; i + SUM_LANES <= n; i += SUM_LANES) NAME(add)(lanes, x + i, power, SUM_LANES);
    NAME(add)(lanes, x + i, power, n - i);
    for (int lane = 0; lane < SUM_LANES; lane++) rest += lanes[lane];
    return rest;
}

static INDEX NAME(largest_of)(const T* x, int64_t n, T* best) {
    T lanes[SUM_LANES];
    int64_t i = 0;
    for (int lane = 0; lane < SUM_LANES; lane++) lanes[lane] = *best;
    for (; i + SUM_LANES <= n; i += SUM_LANES) {
        for (int lane = 0; lane < SUM_LANES; lane++) lanes[lane] = x[i + lane] > lanes[lane] ? x[i + lane] : lanes[lane];
    }
    for (int lane = 0; i + lane < n; lane++) lanes[lane] = x[i + lane] > lanes[lane] ? x[i + lane] : lanes[lane];
    T lowest = *best;
    for (int lane = 0; lane < SUM_LANES; lane++) *best = lanes[lane] > *best ? lanes[lane] : *best;
    if (!(*best > lowest)) return -1;
    for (i = 0; x[i] != *best; i++) continue;
    return (INDEX)i;
}

static void NAME(pool_global)(const plan* p, const opforge_call* call, char* scratch, int64_t begin, int64_t end) {
    int64_t count = p->axes[DEPTH].divisors[0] * p->axes[HEIGHT].divisors[0] * p->axes[WIDTH].divisors[0];
    T* out = (T*)call->outputs[0].data;
    (void)scratch;
    for (int64_t plane = begin; plane < end; plane++) {
        const T* x = (const T*)call->inputs[0].data + plane * p->in_size;
        if (p->kind == MAXIMUM) {
            T best = (T)p->lowest;
            INDEX argmax = NAME(largest_of)(x, p->in_size, &best);
            out[plane] = best;
            NAME(store_argmax)(p, call->outputs[1].data, plane, &argmax, 1);
        } else {
            out[plane] = NAME(finish_sum)(p, NAME(sum_of)(x, p->in_size, p->power), count);
        }
    }
}

static void NAME(spread_global)(const plan* p, const opforge_call* call, char* scratch, int64_t begin, int64_t end) {
    int64_t count = p->axes[DEPTH].divisors[0] * p->axes[HEIGHT].divisors[0] * p->axes[WIDTH].divisors[0];
    (void)scratch;
    for (int64_t plane = begin; plane < end; plane++) {
        T* dx = (T*)call->in_grads[0].data + plane * p->in_size;
        T out = p->power > 1 ? ((const T*)call->outputs[0].data)[plane] : 0;
        T grad = NAME(element_share)(p, ((const T*)call->out_grads[0].data)[plane], out, count);
        for (int64_t i = 0; i < p->in_size; i++) dx[i] = grad;
        if (p->power == 1) continue;
        const T* x = (const T*)call->inputs[0].data + plane * p->in_size;
        for (int64_t i = 0; i < p->in_size; i++) dx[i] *= NAME(inner_derivative)(p, x[i]);
    }
}
