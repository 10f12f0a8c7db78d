/* A panel of queries, one in each lane: scores and weights of a block of keys have a row for each key, so that
 * maxima and sums over keys are those of vectors. Keys and values are read where they lie; only queries are
 * copied. */

enum { BLOCK = 5 * TILE_ROWS }; /* keys whose scores, queries and results stay in the first cache */

/* Keys are shared out evenly over as few blocks as can be. */
static int64_t block_of(int64_t keys) { return quotient_up(keys, larger(quotient_up(keys, BLOCK), 1)); }

/* Which queries a panel has, and what they see. */
typedef struct panel {
    int64_t unit, first, count;
    int64_t least, most; /* keys that each of them sees, and that any sees */
    BITS seen[PANEL];    /* keys that a query sees; of lanes without a query none */
    uint32_t seeds[PANEL];
} panel;

/* What panels of one unit have in common. */
typedef struct unit {
    const T *query, *key, *value;
} unit;

static unit unit_of(const attention* a, int64_t at) {
    return (unit){(const T*)rows_of(&a->query, a, at, sizeof(T)), (const T*)rows_of(&a->key, a, at, sizeof(T)),
                  (const T*)rows_of(&a->value, a, at, sizeof(T))};
}

static void open_panel(const attention* a, int64_t unit, int64_t first, panel* p) {
    *p = (panel){.unit = unit, .first = first, .count = smaller(PANEL, a->queries - first), .least = a->keys};
    for (int64_t lane = 0; lane < p->count; lane++) {
        int64_t seen = keys_seen(a, unit, first + lane);
        p->seen[lane] = (BITS)seen;
        p->least = smaller(p->least, seen);
        p->most = larger(p->most, seen);
        if (a->dropped) p->seeds[lane] = (uint32_t)(opforge_uniform(a->random_key, (uint64_t)(unit * a->queries + first + lane)) * 4294967296.0);
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

static void hide_unseen(const panel* p, int64_t first_key, int64_t n, T* scores) {
    for (int64_t k = larger(p->least - first_key, 0); k < n; k++) {
        BITS key = (BITS)(first_key + k);
        for (int lane = 0; lane < PANEL; lane++) {
            scores[k * PANEL + lane] = key < p->seen[lane] ? scores[k * PANEL + lane] : -(T)INFINITY;
        }
    }
}

/* Scores of `n` keys: -inf where a query does not see a key. `queries` are packed and scaled. */
static void score(const attention* a, const panel* p, const unit* u, int64_t first_key, int64_t n, const T* queries,
                  T* scores) {
    factors keys = {u->key + first_key * a->key.row, a->key.row, 0};
    multiply(n, PANEL, a->depth, keys, queries, PANEL, scores, PANEL, 0);
    if (a->mask.kind != MASK_NONE) add_mask(a, p, first_key, n, scores);
    if (first_key + n > p->least) hide_unseen(p, first_key, n, scores);
}

/* Whether the weight of a key is dropped: the hash of a number for each pair of query and key. */
static inline uint32_t scrambled(uint32_t seed, uint32_t key) {
    uint32_t x = seed + key * 0x9E3779B9u;
    x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
    x = (x ^ (x >> 13)) * 0xC2B2AE35u;
    return x ^ (x >> 16);
}

/* What dropout multiplies weights by. */
static void drop(const attention* a, const panel* p, int64_t first_key, int64_t n, const T* weights, T* kept) {
    T scale = (T)a->kept_scale;
    for (int64_t k = 0; k < n; k++) {
        uint32_t key = (uint32_t)(first_key + k);
        for (int lane = 0; lane < PANEL; lane++) {
            T weight = weights[k * PANEL + lane];
            kept[k * PANEL + lane] = scrambled(p->seeds[lane], key) < a->dropped ? 0 : scale * weight;
        }
    }
}
