/* Backward: gradients of queries, keys and values. With few units, the keys of a unit are split into chunks for
 * parallelism. Each chunk writes the gradients of its own keys and values; the gradients of queries are summed
 * over the chunks at the end. */

/* Zero a chunk's gradients of keys or values and return their start; NULL if they are not wanted. */
static T* clear_rows(const attention* a, const rows* grads, int64_t unit, int64_t begin, int64_t end, int64_t depth) {
    if (grads->data == NULL) return NULL;
    T* first = (T*)rows_of(grads, a, unit, sizeof(T));
    for (int64_t key = begin; key < end; key++) memset(first + key * grads->row, 0, (size_t)depth * sizeof(T));
    return first;
}

/* Accumulate the gradients of keys and values from the queries of a panel, and of these queries. */
static void add_panel(const attention* a, const panel* p, const unit* u, int64_t key, int64_t end, T* key_grad,
                      T* value_grad, const backward_buffers* b) {
    int64_t block = block_of(end - key);
    for (int64_t n = 0; key < end; key += n) {
        n = min64(block, end - key);
        score_gradients(a, p, u, key, n, b);
        operand kept = {b->kept, PANEL, 0}, by_scores = {b->by_weights, PANEL, 0};
        if (value_grad != NULL) {
            multiply(n, a->value_depth, p->count, kept, b->grad_rows, padded(a->value_depth),
                     value_grad + key * a->value_grad.row, a->value_grad.row, 1);
        }
        if (key_grad != NULL) {
            multiply(n, a->depth, p->count, by_scores, b->query_rows, padded(a->depth), key_grad + key * a->key_grad.row,
                     a->key_grad.row, 1);
        }
        if (a->query_grad.data != NULL) {
            operand keys = {u->key + key * a->key.row, a->key.row, 1};
            multiply(a->depth, PANEL, n, keys, b->by_weights, PANEL, b->query_grad, PANEL, 1);
        }
    }
}

/* The destination of a panel's query gradients from one chunk of keys. */
static T* query_grad_of(const attention* a, const panel* p, int64_t chunk, int64_t* row) {
    if (chunk == 0) {
        *row = a->query_grad.row;
        return (T*)rows_of(&a->query_grad, a, p->unit, sizeof(T)) + p->first * *row;
    }
    *row = a->depth;
    return (T*)a->partial + (((chunk - 1) * a->units + p->unit) * a->queries + p->first) * a->depth;
}

static void backward_chunk(const attention* a, int64_t at, int64_t chunk, const backward_buffers* b) {
    unit u = unit_of(a, at);
    int64_t begin = a->keys * chunk / a->chunks, end = a->keys * (chunk + 1) / a->chunks;
    T* key_grad = clear_rows(a, &a->key_grad, at, begin, end, a->depth);
    T* value_grad = clear_rows(a, &a->value_grad, at, begin, end, a->value_depth);
    T scale[PANEL];
    for (int lane = 0; lane < PANEL; lane++) scale[lane] = (T)a->scale;
    for (int64_t first = 0; first < a->queries; first += PANEL) {
        panel p;
        init_panel(a, at, first, &p);
        load_panel(a, &p, &u, b);
        memset(b->query_grad, 0, (size_t)(a->depth * PANEL) * sizeof(T));
        add_panel(a, &p, &u, begin, min64(end, p.max_visible), key_grad, value_grad, b);
        if (a->query_grad.data == NULL) continue;
        int64_t row;
        T* grad = query_grad_of(a, &p, chunk, &row);
        unpack(b->query_grad, p.count, a->depth, scale, grad, row);
    }
}

static int32_t backward_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const attention* a = (const attention*)argument;
    backward_buffers b;
    layout_backward(a, &b, (char*)worker->scratch);
    for (int64_t at = begin; at < end; at++) backward_chunk(a, at / a->chunks, at % a->chunks, &b);
    return OPFORGE_OK;
}

static int32_t sum_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    (void)worker;
    const attention* a = (const attention*)argument;
    for (int64_t at = begin; at < end; at++) {
        int64_t unit = at / a->queries, query = at % a->queries;
        T* grad = (T*)rows_of(&a->query_grad, a, unit, sizeof(T)) + query * a->query_grad.row;
        for (int64_t chunk = 1; chunk < a->chunks; chunk++) {
            const T* more = (const T*)a->partial + ((chunk - 1) * a->units * a->queries + at) * a->depth;
            for (int64_t c = 0; c < a->depth; c++) grad[c] += more[c];
        }
    }
    return OPFORGE_OK;
}

static int32_t run_backward(const attention* a) {
    backward_buffers b;
    int64_t bytes = layout_backward(a, &b, NULL);
    int32_t (*parallel)(opforge_call*, int64_t, int64_t, int64_t, opforge_part, void*) = a->call->host->parallel;
    int64_t work = a->queries * a->keys / a->chunks * (3 * a->depth + 2 * a->value_depth);
    int32_t status = parallel(a->call, a->units * a->chunks, grain_of(work), bytes, backward_part, (void*)a);
    if (status) return status;
    if (a->chunks > 1 && a->query_grad.data != NULL) {
        status = parallel(a->call, a->units * a->queries, grain_of(a->chunks * a->depth), 0, sum_part, (void*)a);
    }
    if (status || a->mask_grad == NULL) return status;
    return run_mask_gradient(a, bytes);
}
