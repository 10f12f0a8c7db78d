/* Gradients of scores, a block of keys after the other: weights are computed anew, from the logarithm of their sum. */

typedef struct backward_bench {
    T *queries, *grads;             /* of a panel: scaled queries and outputs' gradients, (depth, PANEL) */
    T *query_rows, *grad_rows;      /* the same as rows, padded to whole panels: (PANEL, depth) */
    T *weights, *kept, *by_weights; /* of a block: (BLOCK, PANEL); `by_weights` become gradients of scores */
    T *query_grad;                  /* (depth, PANEL) */
    T *logsumexp, *delta;           /* of each query; delta is the sum of weights times their gradients */
} backward_bench;

static int64_t padded(int64_t columns) { return quotient_up(columns, PANEL) * PANEL; }

static int64_t lay_out_backward(const attention* a, backward_bench* b, char* base) {
    int64_t bytes = 0;
    b->queries = take(base, &bytes, a->depth * PANEL);
    b->grads = take(base, &bytes, a->value_depth * PANEL);
    b->query_rows = take(base, &bytes, PANEL * padded(a->depth));
    b->grad_rows = take(base, &bytes, PANEL * padded(a->value_depth));
    b->weights = take(base, &bytes, BLOCK * PANEL);
    b->kept = a->dropped ? take(base, &bytes, BLOCK * PANEL) : b->weights;
    b->by_weights = take(base, &bytes, BLOCK * PANEL);
    b->query_grad = take(base, &bytes, a->depth * PANEL);
    b->logsumexp = take(base, &bytes, PANEL);
    b->delta = take(base, &bytes, PANEL);
    return bytes;
}

static void copy_rows(const T* from, int64_t row, int64_t count, int64_t depth, T scale, T* to) {
    memset(to, 0, (size_t)(PANEL * padded(depth)) * sizeof(T));
    for (int64_t lane = 0; lane < count; lane++) {
        for (int64_t c = 0; c < depth; c++) to[lane * padded(depth) + c] = scale * from[lane * row + c];
    }
}

/* Copy what backward reads of a panel's queries. */
static void gather(const attention* a, const panel* p, const unit* u, const backward_bench* b) {
    const T* grads = (const T*)rows_of(&a->out_grad, a, p->unit, sizeof(T)) + p->first * a->out_grad.row;
    const T* out = (const T*)rows_of(&a->out, a, p->unit, sizeof(T)) + p->first * a->out.row;
    const T* queries = u->query + p->first * a->query.row;
    pack(queries, a->query.row, p->count, a->depth, (T)a->scale, b->queries);
    pack(grads, a->out_grad.row, p->count, a->value_depth, 1, b->grads);
    copy_rows(queries, a->query.row, p->count, a->depth, (T)a->scale, b->query_rows);
    copy_rows(grads, a->out_grad.row, p->count, a->value_depth, 1, b->grad_rows);
    for (int64_t lane = 0; lane < PANEL; lane++) {
        int within = lane < p->count;
        b->delta[lane] = !within ? 0 : dot(grads + lane * a->out_grad.row, out + lane * a->out.row, a->value_depth);
        b->logsumexp[lane] = within ? ((const T*)a->logsumexp)[p->unit * a->queries + p->first + lane] : (T)INFINITY;
    }
}

/* Weights of `n` keys, what dropout leaves of them, and the gradients of their scores. */
static void differentiate(const attention* a, const panel* p, const unit* u, int64_t key, int64_t n,
                          const backward_bench* b) {
    score(a, p, u, key, n, b->queries, b->weights);
    factors values = {u->value + key * a->value.row, a->value.row, 0};
    multiply(n, PANEL, a->value_depth, values, b->grads, PANEL, b->by_weights, PANEL, 0);
    for (int64_t k = 0; k < n; k++) {
        for (int at = (int)(k * PANEL), half = 0; half < PANEL; half += LANES) {
            vec weight = vec_exp(vec_load(b->weights + at + half) - vec_load(b->logsumexp + half));
            vec_store(b->weights + at + half, weight);
        }
    }
    if (a->dropped) {
        drop(a, p, key, n, b->by_weights, b->by_weights);
        drop(a, p, key, n, b->weights, b->kept);
    }
    for (int64_t k = 0; k < n; k++) {
        for (int at = (int)(k * PANEL), half = 0; half < PANEL; half += LANES) {
            vec by_weight = vec_load(b->by_weights + at + half) - vec_load(b->delta + half);
            vec_store(b->by_weights + at + half, vec_load(b->weights + at + half) * by_weight);
        }
    }
}
