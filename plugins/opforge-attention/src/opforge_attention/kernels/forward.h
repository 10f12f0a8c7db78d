/* Forward: blocks of keys one after the other, with an online softmax. */

/* Update the maximum scores of a panel's queries with `n` more keys. Four independent chains hide the latency of the
 * comparisons. */
static void update_maxima(const T* scores, int64_t n, vec high[2]) {
    vec odd[2] = {high[0], high[1]};
    for (int64_t k = 0; k + 2 <= n; k += 2, scores += 2 * PANEL) {
        high[0] = V(max)(high[0], V(load)(scores));
        high[1] = V(max)(high[1], V(load)(scores + LANES));
        odd[0] = V(max)(odd[0], V(load)(scores + PANEL));
        odd[1] = V(max)(odd[1], V(load)(scores + PANEL + LANES));
    }
    for (int half = 0; half < 2; half++) {
        if (n % 2) odd[half] = V(max)(odd[half], V(load)(scores + half * LANES));
        high[half] = V(max)(high[half], odd[half]);
    }
}

/* Turn scores into weights relative to the maximum score so far, and rescale earlier sums to it. */
static void softmax_block(const forward_buffers* b, int64_t n, int64_t value_depth) {
    vec high[2] = {V(load)(b->high), V(load)(b->high + LANES)};
    update_maxima(b->scores, n, high);
    for (int half = 0; half < 2; half++) {
        T *scores = b->scores + half * LANES, *out = b->out + half * LANES;
        // Before any visible key, -inf - -inf would be NaN.
        vec from = V(select)(high[half] == V(splat)(-(T)INFINITY), (vec){0}, high[half]);
        vec shrink = weight_of(V(load)(b->high + half * LANES) - from), sum = V(load)(b->sum + half * LANES) * shrink;
        for (int64_t k = 0; k < n; k++) {
            vec weight = weight_of(V(load)(scores + k * PANEL) - from);
            V(store)(scores + k * PANEL, weight);
            sum += weight;
        }
        V(store)(b->high + half * LANES, high[half]);
        V(store)(b->sum + half * LANES, sum);
        for (int64_t c = 0; c < value_depth; c++) V(store)(out + c * PANEL, V(load)(out + c * PANEL) * shrink);
    }
}

static void finish(const attention* a, const panel* p, const forward_buffers* b) {
    T* out = (T*)rows_of(&a->out, a, p->unit, sizeof(T)) + p->first * a->out.row;
    T* logsumexp = (T*)a->logsumexp + p->unit * a->queries + p->first;
    T scale[PANEL];
    for (int64_t lane = 0; lane < p->count; lane++) {
        T sum = b->sum[lane];
        scale[lane] = sum == 0 ? 0 : 1 / sum;
        logsumexp[lane] = log_sum(b->high[lane], sum);
    }
    unpack(b->out, p->count, a->value_depth, scale, out, a->out.row);
}

static void forward_panel(const attention* a, const panel* p, const forward_buffers* b) {
    unit u = unit_of(a, p->unit);
    pack(u.query + p->first * a->query.row, a->query.row, p->count, a->depth, (T)a->scale, b->queries);
    memset(b->out, 0, (size_t)(a->value_depth * PANEL) * sizeof(T));
    for (int lane = 0; lane < PANEL; lane++) b->high[lane] = -(T)INFINITY, b->sum[lane] = 0;
    int64_t block = block_of(p->max_visible);
    for (int64_t key = 0; key < p->max_visible; key += block) {
        int64_t n = min64(block, p->max_visible - key);
        score(a, p, &u, key, n, b->queries, b->scores);
        softmax_block(b, n, a->value_depth);
        if (a->dropout_threshold) apply_dropout(a, p, key, n, b->scores, b->scores);
        operand values = {u.value + key * a->value.row, a->value.row, 1};
        multiply(a->value_depth, PANEL, n, values, b->scores, PANEL, b->out, PANEL, 1);
    }
    finish(a, p, b);
}

static int32_t forward_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const attention* a = (const attention*)argument;
    int64_t panels = ceil_div(a->queries, PANEL);
    forward_buffers b;
    layout_forward(a, &b, (char*)worker->scratch);
    for (int64_t at = begin; at < end; at++) {
        panel p;
        init_panel(a, at / panels, at % panels * PANEL, &p);
        if (!is_decode(a, &p)) forward_panel(a, &p, &b);
        else for (int64_t lane = 0; lane < p.count; lane++) forward_query(a, &p, lane, &b);
    }
    return OPFORGE_OK;
}

static int32_t run_forward(const attention* a) {
    forward_buffers b;
    int64_t panels = ceil_div(a->queries, PANEL);
    int64_t grain = grain_of(PANEL * a->keys * (a->depth + a->value_depth));
    return a->call->host->parallel(a->call, a->units * panels, grain, layout_forward(a, &b, NULL), forward_part,
                                   (void*)a);
}
