/* Forward of a few queries, as in autoregressive decoding, for which most lanes of a panel would be empty. Vectors
 * run along the depth instead, and keys and values are each read once. */

enum { DECODE_QUERIES = 4, DECODE_BLOCK = 256 };

/* Whether a panel's queries are computed one by one, which requires values in full panels of columns. */
static int is_decode(const attention* a, const panel* p) {
    return p->count <= DECODE_QUERIES && a->value_depth % PANEL == 0;
}

/* Compute the scores of `n` keys, padded to full vectors with -inf. */
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

/* Turn scores into weights; return the factor that rescales earlier sums to the new maximum score. */
static T softmax_query(int64_t n, T* scores, T* high, T* sum) {
    vec highest = V(splat)(*high), sums = {0};
    for (int64_t k = 0; k < n; k += LANES) highest = V(max)(highest, V(load)(scores + k));
    T old = *high;
    for (int lane = 0; lane < LANES; lane++) *high = highest[lane] > *high ? highest[lane] : *high;
    // Before any visible key, -inf - -inf would be NaN.
    T from = *high == -(T)INFINITY ? 0 : *high;
    for (int64_t k = 0; k < n; k += LANES) {
        vec weights = weight_of(V(load)(scores + k) - from);
        V(store)(scores + k, weights);
        sums += weights;
    }
    T shrink = weight_of(V(splat)(old - from))[0];
    *sum = *sum * shrink + V(sum)(sums);
    return shrink;
}

static void forward_query(const attention* a, const panel* p, int64_t lane, const forward_buffers* b) {
    unit u = unit_of(a, p->unit);
    T scores[DECODE_BLOCK], *query = b->queries, *out = b->out, high = -(T)INFINITY, sum = 0;
    const T* given = u.query + (p->first + lane) * a->query.row;
    for (int64_t c = 0; c < a->depth; c++) query[c] = (T)a->scale * given[c];
    memset(out, 0, (size_t)a->value_depth * sizeof(T));
    for (int64_t key = 0; key < p->visible[lane]; key += DECODE_BLOCK) {
        int64_t n = min64(DECODE_BLOCK, p->visible[lane] - key);
        score_query(a, p, lane, &u, key, n, query, scores);
        T shrink = softmax_query(n, scores, &high, &sum);
        for (int64_t c = 0; c < a->value_depth; c++) out[c] *= shrink;
        for (int64_t k = 0; a->dropout_threshold && k < n; k++) {
            int is_dropped = hash_pair(p->seeds[lane], (uint32_t)(key + k)) < a->dropout_threshold;
            scores[k] = is_dropped ? 0 : (T)a->dropout_scale * scores[k];
        }
        operand weights = {scores, n, 0};
        multiply(1, a->value_depth, n, weights, u.value + key * a->value.row, a->value.row, out, a->value_depth, 1);
    }
    T* to = (T*)rows_of(&a->out, a, p->unit, sizeof(T)) + (p->first + lane) * a->out.row;
    T scale = sum == 0 ? 0 : 1 / sum;
    for (int64_t c = 0; c < a->value_depth; c++) to[c] = scale * out[c];
    ((T*)a->logsumexp)[p->unit * a->queries + p->first + lane] = log_sum(high, sum);
}
