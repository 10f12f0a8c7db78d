/* Forward of a few queries, as in generating a sequence: a panel would have most of its lanes empty. Here vectors go
 * along the depth, and keys and values are each read once. */

enum { FEW_QUERIES = 4, FEW_BLOCK = 256 };

/* Whether a panel's queries are computed one by one: values are read by whole panels of columns. */
static int is_few(const attention* a, const panel* p) {
    return p->count <= FEW_QUERIES && a->value_depth % PANEL == 0;
}

/* Scores of `n` keys, and -inf up to whole vectors. */
static void score_query(const attention* a, const panel* p, int64_t lane, const unit* u, int64_t first_key, int64_t n,
                        const T* query, T* scores) {
    const mask* m = &a->mask;
    for (int64_t k = 0; k < n; k++) scores[k] = dot(query, u->key + (first_key + k) * a->key.row, a->depth);
    for (int64_t k = n; k % LANES != 0; k++) scores[k] = -(T)INFINITY;
    if (m->kind == MASK_NONE) return;
    int64_t at = m->units[p->unit] + (p->first + lane) * m->row + first_key * m->column;
    for (int64_t k = 0; k < n; k++, at += m->column) {
        if (m->kind == MASK_ADDED) scores[k] += ((const T*)m->data)[at];
        else if (!((const uint8_t*)m->data)[at]) scores[k] = -(T)INFINITY;
    }
}

/* Make weights of scores; return the factor that brings what was summed before to the same highest score. */
static T weigh_query(int64_t n, T* scores, T* high, T* sum) {
    vec highest = vec_of(*high), sums = {0};
    for (int64_t k = 0; k < n; k += LANES) highest = vec_larger(highest, vec_load(scores + k));
    T old = *high;
    for (int lane = 0; lane < LANES; lane++) *high = highest[lane] > *high ? highest[lane] : *high;
    // Where nothing was seen yet, -inf less -inf would be no number.
    T from = *high == -(T)INFINITY ? 0 : *high;
    for (int64_t k = 0; k < n; k += LANES) {
        vec weights = vec_exp(vec_load(scores + k) - from);
        vec_store(scores + k, weights);
        sums += weights;
    }
    T shrink = vec_exp(vec_of(old - from))[0];
    *sum = *sum * shrink + vec_sum(sums);
    return shrink;
}

static void forward_query(const attention* a, const panel* p, int64_t lane, const forward_bench* b) {
    unit u = unit_of(a, p->unit);
    T scores[FEW_BLOCK], *query = b->queries, *out = b->out, high = -(T)INFINITY, sum = 0;
    const T* given = u.query + (p->first + lane) * a->query.row;
    for (int64_t c = 0; c < a->depth; c++) query[c] = (T)a->scale * given[c];
    memset(out, 0, (size_t)a->value_depth * sizeof(T));
    for (int64_t key = 0; key < p->seen[lane]; key += FEW_BLOCK) {
        int64_t n = smaller(FEW_BLOCK, p->seen[lane] - key);
        score_query(a, p, lane, &u, key, n, query, scores);
        T shrink = weigh_query(n, scores, &high, &sum);
        for (int64_t c = 0; c < a->value_depth; c++) out[c] *= shrink;
        for (int64_t k = 0; a->dropped && k < n; k++) {
            int is_dropped = scrambled(p->seeds[lane], (uint32_t)(key + k)) < a->dropped;
            scores[k] = is_dropped ? 0 : (T)a->kept_scale * scores[k];
        }
        factors weights = {scores, n, 0};
        multiply(1, a->value_depth, n, weights, u.value + key * a->value.row, a->value.row, out, a->value_depth, 1);
    }
    T* to = (T*)rows_of(&a->out, a, p->unit, sizeof(T)) + (p->first + lane) * a->out.row;
    T scale = sum == 0 ? 0 : 1 / sum;
    for (int64_t c = 0; c < a->value_depth; c++) to[c] = scale * out[c];
    ((T*)a->logsumexp)[p->unit * a->queries + p->first + lane] = logarithm(high, sum);
}
