/* Forward: a block of keys after the other, with the softmax of what was seen so far. */

typedef struct forward_bench {
    T *queries, *scores, *out; /* (depth, PANEL), (BLOCK, PANEL), (value_depth, PANEL) */
    T *high, *sum;             /* of each query: the highest score, and the sum of weights relative to it */
} forward_bench;

static int64_t lay_out_forward(const attention* a, forward_bench* b, char* base) {
    int64_t bytes = 0;
    b->queries = take(base, &bytes, a->depth * PANEL);
    b->scores = take(base, &bytes, BLOCK * PANEL);
    b->out = take(base, &bytes, a->value_depth * PANEL);
    b->high = take(base, &bytes, PANEL);
    b->sum = take(base, &bytes, PANEL);
    return bytes;
}

/* Make weights of scores, relative to the highest score so far, and bring what was summed to the same. */
static void weigh(const forward_bench* b, int64_t n, int64_t value_depth) {
    for (int half = 0; half < PANEL; half += LANES) {
        vec old = vec_load(b->high + half), high = old;
        for (int64_t k = 0; k < n; k++) high = vec_larger(high, vec_load(b->scores + k * PANEL + half));
        // Where nothing was seen yet, -inf less -inf would be no number.
        vec from = vec_choose(high == vec_of(-(T)INFINITY), (vec){0}, high);
        vec shrink = vec_exp(old - from), sum = vec_load(b->sum + half) * shrink;
        for (int64_t k = 0; k < n; k++) {
            vec weight = vec_exp(vec_load(b->scores + k * PANEL + half) - from);
            vec_store(b->scores + k * PANEL + half, weight);
            sum += weight;
        }
        vec_store(b->high + half, high);
        vec_store(b->sum + half, sum);
        for (int64_t c = 0; c < value_depth; c++) {
            vec_store(b->out + c * PANEL + half, vec_load(b->out + c * PANEL + half) * shrink);
        }
    }
}

static void finish(const attention* a, const panel* p, const forward_bench* b) {
    T* out = (T*)rows_of(&a->out, a, p->unit, sizeof(T)) + p->first * a->out.row;
    T* logsumexp = (T*)a->logsumexp + p->unit * a->queries + p->first;
    T scale[PANEL];
    for (int64_t lane = 0; lane < p->count; lane++) {
        T sum = b->sum[lane];
        scale[lane] = sum == 0 ? 0 : 1 / sum;
        logsumexp[lane] = sum == 0 ? (T)INFINITY : b->high[lane] + (T)log((double)sum);
    }
    unpack(b->out, p->count, a->value_depth, scale, out, a->out.row);
}

static void forward_panel(const attention* a, const panel* p, const forward_bench* b) {
    unit u = unit_of(a, p->unit);
    pack(u.query + p->first * a->query.row, a->query.row, p->count, a->depth, (T)a->scale, b->queries);
    memset(b->out, 0, (size_t)(a->value_depth * PANEL) * sizeof(T));
    for (int lane = 0; lane < PANEL; lane++) b->high[lane] = -(T)INFINITY, b->sum[lane] = 0;
    for (int64_t key = 0; key < p->most; key += BLOCK) {
        int64_t n = smaller(BLOCK, p->most - key);
        score(a, p, &u, key, n, b->queries, b->scores);
        weigh(b, n, a->value_depth);
        if (a->dropped) drop(a, p, key, n, b->scores, b->scores);
        factors values = {u.value + key * a->value.row, a->value.row, 1};
        multiply(a->value_depth, PANEL, n, values, b->scores, PANEL, b->out, PANEL, 1);
    }
    finish(a, p, b);
}

static int32_t forward_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const attention* a = (const attention*)argument;
    int64_t panels = quotient_up(a->queries, PANEL);
    forward_bench b;
    lay_out_forward(a, &b, (char*)worker->scratch);
    for (int64_t at = begin; at < end; at++) {
        panel p;
        open_panel(a, at / panels, at % panels * PANEL, &p);
        forward_panel(a, &p, &b);
    }
    return OPFORGE_OK;
}

static int32_t run_forward(const attention* a) {
    forward_bench b;
    int64_t panels = quotient_up(a->queries, PANEL);
    int64_t grain = grain_of(PANEL * a->keys * (a->depth + a->value_depth));
    return a->call->host->parallel(a->call, a->units * panels, grain, lay_out_forward(a, &b, NULL), forward_part,
                                   (void*)a);
}
