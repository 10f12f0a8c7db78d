/* Gradients of scores, one block of keys after the other; weights are recomputed from the log-sum-exp. */

typedef struct backward_buffers {
    T *queries, *grads;             /* of a panel: scaled queries and output gradients, (depth, PANEL) */
    T *query_rows, *grad_rows;      /* the same as rows, padded to full panels: (PANEL, depth) */
    T *weights, *kept, *by_weights; /* of a block: (BLOCK, PANEL); `by_weights` become gradients of scores */
    T *query_grad;                  /* (depth, PANEL) */
    T *logsumexp, *delta;           /* per query; delta is the sum of weights times their gradients */
} backward_buffers;

static int64_t padded(int64_t columns) { return ceil_div(columns, PANEL) * PANEL; }

static int64_t layout_backward(const attention* a, backward_buffers* b, char* base) {
    int64_t bytes = 0;
    b->queries = allocate(base, &bytes, a->depth * PANEL);
    b->grads = allocate(base, &bytes, a->value_depth * PANEL);
    b->query_rows = allocate(base, &bytes, PANEL * padded(a->depth));
    b->grad_rows = allocate(base, &bytes, PANEL * padded(a->value_depth));
    b->weights = allocate(base, &bytes, BLOCK * PANEL);
    b->kept = a->dropout_threshold ? allocate(base, &bytes, BLOCK * PANEL) : b->weights;
    b->by_weights = allocate(base, &bytes, BLOCK * PANEL);
    b->query_grad = allocate(base, &bytes, a->depth * PANEL);
    b->logsumexp = allocate(base, &bytes, PANEL);
    b->delta = allocate(base, &bytes, PANEL);
    return bytes;
}

static void copy_rows(const T* from, int64_t row, int64_t count, int64_t depth, T scale, T* to) {
    memset(to, 0, (size_t)(PANEL * padded(depth)) * sizeof(T));
    for (int64_t lane = 0; lane < count; lane++) {
        for (int64_t c = 0; c < depth; c++) to[lane * padded(depth) + c] = scale * from[lane * row + c];
    }
}

/* Load the data of a panel's queries that backward reads. */
static void load_panel(const attention* a, const panel* p, const unit* u, const backward_buffers* b) {
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

/* Compute the weights of `n` keys, the weights after dropout, and the gradients of their scores. */
static void score_gradients(const attention* a, const panel* p, const unit* u, int64_t key, int64_t n,
                          const backward_buffers* b) {
    score(a, p, u, key, n, b->queries, b->weights);
    operand values = {u->value + key * a->value.row, a->value.row, 0};
    multiply(n, PANEL, a->value_depth, values, b->grads, PANEL, b->by_weights, PANEL, 0);
    for (int64_t k = 0; k < n; k++) {
        for (int at = (int)(k * PANEL), half = 0; half < PANEL; half += LANES) {
            vec weight = weight_of(V(load)(b->weights + at + half) - V(load)(b->logsumexp + half));
            V(store)(b->weights + at + half, weight);
        }
    }
    if (a->dropout_threshold) {
        apply_dropout(a, p, key, n, b->by_weights, b->by_weights);
        apply_dropout(a, p, key, n, b->weights, b->kept);
    }
    for (int64_t k = 0; k < n; k++) {
        for (int at = (int)(k * PANEL), half = 0; half < PANEL; half += LANES) {
            vec by_weight = V(load)(b->by_weights + at + half) - V(load)(b->delta + half);
            V(store)(b->by_weights + at + half, V(load)(b->weights + at + half) * by_weight);
        }
    }
}
