/* A panel of queries, one per lane. The scores and weights of a block of keys have one row per key, so that maxima
 * and sums over keys are vector operations. Keys and values are read in place; only queries are copied. */

enum { BLOCK = 5 * OF_TILE_ROWS(2) }; /* keys whose scores, queries and results fit the L1 cache */

/* The size of a block: keys are distributed evenly over the smallest number of blocks. */
static int64_t block_of(int64_t keys) { return ceil_div(keys, max64(ceil_div(keys, BLOCK), 1)); }

/* The queries of a panel and the numbers of keys visible to them. */
typedef struct panel {
    int64_t unit, first, count;
    int64_t min_visible, max_visible; /* keys visible to all queries, and to any of them */
    BITS visible[PANEL];                 /* keys visible to each query; 0 in lanes without a query */
    uint32_t seeds[PANEL];
} panel;

/* The rows of one unit. */
typedef struct unit {
    const T *query, *key, *value;
} unit;

static unit unit_of(const attention* a, int64_t at) {
    return (unit){(const T*)rows_of(&a->query, a, at, sizeof(T)), (const T*)rows_of(&a->key, a, at, sizeof(T)),
                  (const T*)rows_of(&a->value, a, at, sizeof(T))};
}

static void init_panel(const attention* a, int64_t unit, int64_t first, panel* p) {
    *p = (panel){.unit = unit, .first = first, .count = min64(PANEL, a->queries - first), .min_visible = a->keys};
    for (int64_t lane = 0; lane < p->count; lane++) {
        int64_t n = visible_keys(a, unit, first + lane);
        p->visible[lane] = (BITS)n;
        p->min_visible = min64(p->min_visible, n);
        p->max_visible = max64(p->max_visible, n);
        if (a->dropout_threshold) p->seeds[lane] = (uint32_t)(opforge_uniform(a->random_key, (uint64_t)(unit * a->queries + first + lane)) * 4294967296.0);
    }
}

static void add_mask(const attention* a, const panel* p, int64_t first_key, int64_t n, T* scores) {
    const mask* m = &a->mask;
    for (int64_t k = 0; k < n; k++) {
        int64_t at = m->units[p->unit] + p->first * m->row + (first_key + k) * m->column;
        for (int64_t lane = 0; lane < p->count; lane++) {
            int64_t element = at + lane * m->row;
            T* score = &scores[k * PANEL + lane];
            if (m->kind == MASK_ADDED) *score += ((const T*)m->data)[element];
            else if (!((const uint8_t*)m->data)[element]) *score = -(T)INFINITY;
        }
    }
}

static void hide_invisible(const panel* p, int64_t first_key, int64_t n, T* scores) {
    for (int64_t k = max64(p->min_visible - first_key, 0); k < n; k++) {
        BITS key = (BITS)(first_key + k);
        for (int lane = 0; lane < PANEL; lane++) {
            scores[k * PANEL + lane] = key < p->visible[lane] ? scores[k * PANEL + lane] : -(T)INFINITY;
        }
    }
}

/* Compute the scores of `n` keys, -inf for hidden keys. `queries` are packed and scaled. */
static void score(const attention* a, const panel* p, const unit* u, int64_t first_key, int64_t n, const T* queries,
                  T* scores) {
    operand keys = {u->key + first_key * a->key.row, a->key.row, 0};
    multiply(n, PANEL, a->depth, keys, queries, PANEL, scores, PANEL, 0);
    if (a->mask.kind != MASK_NONE) add_mask(a, p, first_key, n, scores);
    if (first_key + n > p->min_visible) hide_invisible(p, first_key, n, scores);
}

/* The hash of a pair of query and key, which decides whether dropout drops their weight. */
static inline uint32_t hash_pair(uint32_t seed, uint32_t key) {
    uint32_t x = seed + key * 0x9E3779B9u;
    x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
    x = (x ^ (x >> 13)) * 0xC2B2AE35u;
    return x ^ (x >> 16);
}

/* Apply dropout to the weights of `n` keys. */
static void apply_dropout(const attention* a, const panel* p, int64_t first_key, int64_t n, const T* weights, T* kept) {
    T scale = (T)a->dropout_scale;
    for (int64_t k = 0; k < n; k++) {
        uint32_t key = (uint32_t)(first_key + k);
        for (int lane = 0; lane < PANEL; lane++) {
            T weight = weights[k * PANEL + lane];
            kept[k * PANEL + lane] = hash_pair(p->seeds[lane], key) < a->dropout_threshold ? 0 : scale * weight;
        }
    }
}
