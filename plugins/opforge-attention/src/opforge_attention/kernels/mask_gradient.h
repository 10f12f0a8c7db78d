/* The gradient of an additive mask. Many units may share one mask, so each part of the loop owns some rows or columns
 * of all masks and iterates over all units. */

static void add_to_mask(const attention* a, const panel* p, int64_t key, int64_t n, const T* by_scores) {
    for (int64_t k = 0; k < n; k++) {
        T* grad = (T*)a->mask_grad + a->mask.units[p->unit] + p->first * a->mask.row + (key + k) * a->mask.column;
        for (int64_t lane = 0; lane < p->count; lane++) grad[lane * a->mask.row] += by_scores[k * PANEL + lane];
    }
}

static void mask_panel(const attention* a, int64_t at, int64_t first, int64_t key, int64_t end, const backward_buffers* b) {
    unit u = unit_of(a, at);
    panel p;
    init_panel(a, at, first, &p);
    load_panel(a, &p, &u, b);
    for (end = min64(end, p.max_visible); key < end; key += BLOCK) {
        int64_t n = min64(BLOCK, end - key);
        score_gradients(a, &p, &u, key, n, b);
        add_to_mask(a, &p, key, n, b->by_weights);
    }
}

/* Panels of a mask with a row for each query. */
static int32_t mask_rows_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const attention* a = (const attention*)argument;
    backward_buffers b;
    layout_backward(a, &b, (char*)worker->scratch);
    for (int64_t at = begin; at < end; at++) {
        for (int64_t unit = 0; unit < a->units; unit++) mask_panel(a, unit, at * PANEL, 0, a->keys, &b);
    }
    return OPFORGE_OK;
}

/* Blocks of keys of a mask that all queries share. */
static int32_t mask_columns_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const attention* a = (const attention*)argument;
    backward_buffers b;
    layout_backward(a, &b, (char*)worker->scratch);
    for (int64_t unit = 0; unit < a->units; unit++) {
        for (int64_t first = 0; first < a->queries; first += PANEL) {
            mask_panel(a, unit, first, begin * BLOCK, min64(end * BLOCK, a->keys), &b);
        }
    }
    return OPFORGE_OK;
}

static int32_t run_mask_gradient(const attention* a, int64_t bytes) {
    int64_t panels = ceil_div(a->queries, PANEL), blocks = ceil_div(a->keys, BLOCK);
    if (a->mask.row != 0) return a->call->host->parallel(a->call, panels, 1, bytes, mask_rows_part, (void*)a);
    // A single part if all keys share one element.
    return a->call->host->parallel(a->call, blocks, a->mask.column != 0 ? 1 : blocks, bytes, mask_columns_part, (void*)a);
}
