/* Forward: a block of keys after the other, with the softmax of what was seen so far. */

/* Raise the highest scores of a panel's queries to those of `n` more keys: four chains, as each comparison waits for
 * the one before it. */
static void raise(const T* scores, int64_t n, vec high[2]) {
    vec odd[2] = {high[0], high[1]};
    for (int64_t k = 0; k + 2 <= n; k += 2, scores += 2 * PANEL) {
        high[0] = vec_larger(high[0], vec_load(scores));
        high[1] = vec_larger(high[1], vec_load(scores + LANES));
        odd[0] = vec_larger(odd[0], vec_load(scores + PANEL));
        odd[1] = vec_larger(odd[1], vec_load(scores + PANEL + LANES));
    }
    for (int half = 0; half < 2; half++) {
        if (n % 2) odd[half] = vec_larger(odd[half], vec_load(scores + half * LANES));
        high[half] = vec_larger(high[half], odd[half]);
    }
}

/* Make weights of scores, relative to the highest score so far, and bring what was summed to the same. */
static void weigh(const forward_bench* b, int64_t n, int64_t value_depth) {
    vec high[2] = {vec_load(b->high), vec_load(b->high + LANES)};
    raise(b->scores, n, high);
    for (int half = 0; half < 2; half++) {
        T *scores = b->scores + half * LANES, *out = b->out + half * LANES;
        // Where nothing was seen yet, -inf less -inf would be no number.
        vec from = vec_choose(high[half] == vec_of(-(T)INFINITY), (vec){0}, high[half]);
        vec shrink = vec_exp(vec_load(b->high + half * LANES) - from), sum = vec_load(b->sum + half * LANES) * shrink;
        for (int64_t k = 0; k < n; k++) {
            vec weight = vec_exp(vec_load(scores + k * PANEL) - from);
            vec_store(scores + k * PANEL, weight);
            sum += weight;
        }
        vec_store(b->high + half * LANES, high[half]);
        vec_store(b->sum + half * LANES, sum);
        for (int64_t c = 0; c < value_depth; c++) vec_store(out + c * PANEL, vec_load(out + c * PANEL) * shrink);
    }
}

static void finish(const attention* a, const panel* p, const forward_bench* b) {
    T* out = (T*)rows_of(&a->out, a, p->unit, sizeof(T)) + p->first * a->out.row;
    T* logsumexp = (T*)a->logsumexp + p->unit * a->queries + p->first;
    T scale[PANEL];
    for (int64_t lane = 0; lane < p->count; lane++) {
        T sum = b->sum[lane];
        scale[lane] = sum == 0 ? 0 : 1 / sum;
        logsumexp[lane] = logarithm(b->high[lane], sum);
    }
    unpack(b->out, p->count, a->value_depth, scale, out, a->out.row);
}

static void forward_panel(const attention* a, const panel* p, const forward_bench* b) {
    unit u = unit_of(a, p->unit);
    pack(u.query + p->first * a->query.row, a->query.row, p->count, a->depth, (T)a->scale, b->queries);
    memset(b->out, 0, (size_t)(a->value_depth * PANEL) * sizeof(T));
    for (int lane = 0; lane < PANEL; lane++) b->high[lane] = -(T)INFINITY, b->sum[lane] = 0;
    int64_t block = block_of(p->most);
    for (int64_t key = 0; key < p->most; key += block) {
        int64_t n = smaller(block, p->most - key);
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
        if (!is_few(a, &p)) forward_panel(a, &p, &b);
        else for (int64_t lane = 0; lane < p.count; lane++) forward_query(a, &p, lane, &b);
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
