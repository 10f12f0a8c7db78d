/* Non-maximum suppression of boxes sorted by descending score: each kept box suppresses later ones. Boxes are
 * processed in tiles: first those of the tile among themselves, then the kept ones suppress all boxes after the tile,
 * vectorized and on several threads. Included once per type. */
#include "edges.h"

typedef struct NAME(ranked) {
    NAME(edges) boxes;
    MARK* suppressed; /* -1: suppressed */
    suppression_rule rule;
    T threshold;
} NAME(ranked);

static NAME(ranked) NAME(make_ranked)(arena* r, int64_t n, suppression_rule rule, double threshold) {
    NAME(ranked) made = {NAME(make_edges)(r, n), (MARK*)arena_take(r, n * (int64_t)sizeof(MARK)), rule, (T)threshold};
    return made;
}

/* Mark the boxes in [begin, end) that box `a` suppresses. */
static inline __attribute__((always_inline)) void NAME(suppress_by)(suppression_rule rule, T threshold, NAME(box) a,
                                                                const NAME(edges)* b, MARK* restrict suppressed,
                                                                int64_t begin, int64_t end) {
    const T *left = b->left, *top = b->top, *right = b->right, *bottom = b->bottom, *area = b->area;
    int more = rule == PIXELS;
    for (int64_t i = begin; i < end; i++) {
        T width = rule == CORNERS ? NAME(common)(a.left, a.right, left[i], right[i], more)
                                  : NAME(common)(left[i], right[i], a.left, a.right, more);
        T height = rule == CORNERS ? NAME(common)(a.top, a.bottom, top[i], bottom[i], more)
                                   : NAME(common)(top[i], bottom[i], a.top, a.bottom, more);
        T shared = width * height, all = a.area + area[i] - shared, share = shared / all;
        int suppresses = rule == REACHING ? (all > 0) & (share >= threshold) : share > threshold;
        suppressed[i] |= suppresses ? (MARK)-1 : 0;
    }
}

static void NAME(suppress_range)(const NAME(ranked)* r, int64_t by, int64_t begin, int64_t end) {
    NAME(box) a = NAME(get_box)(&r->boxes, by);
    switch (r->rule) {
    case CORNERS: NAME(suppress_by)(CORNERS, r->threshold, a, &r->boxes, r->suppressed, begin, end); break;
    case CENTERS: NAME(suppress_by)(CENTERS, r->threshold, a, &r->boxes, r->suppressed, begin, end); break;
    case REACHING: NAME(suppress_by)(REACHING, r->threshold, a, &r->boxes, r->suppressed, begin, end); break;
    case PIXELS: NAME(suppress_by)(PIXELS, r->threshold, a, &r->boxes, r->suppressed, begin, end); break;
    }
}

/* Kept boxes of a tile, which suppress boxes from `first` on. */
typedef struct NAME(tile) {
    const NAME(ranked)* ranked;
    int64_t first, n_kept;
    int32_t kept[TILE];
} NAME(tile);

static int32_t NAME(suppress_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const NAME(tile)* t = (const NAME(tile)*)argument;
    (void)worker;
    for (int64_t at = t->first + begin; at < t->first + end; at += AT_ONCE) {
        int64_t stop = at + AT_ONCE < t->first + end ? at + AT_ONCE : t->first + end;
        for (int64_t i = 0; i < t->n_kept; i++) NAME(suppress_range)(t->ranked, t->kept[i], at, stop);
    }
    return OPFORGE_OK;
}

/* Suppress boxes in [begin, end), keeping at most `most`. `call` is NULL inside a parallel loop. */
static int32_t NAME(suppress)(const NAME(ranked)* r, int64_t begin, int64_t end, int64_t most, opforge_call* call) {
    NAME(tile) t = {.ranked = r};
    int32_t status = OPFORGE_OK;
    memset(r->suppressed + begin, 0, (size_t)(end - begin) * sizeof(MARK));
    for (int64_t at = begin; at < end && !status; at = t.first) {
        t.first = at + TILE < end ? at + TILE : end;
        t.n_kept = 0;
        for (int64_t i = at; i < t.first; i++) {
            if (r->suppressed[i]) continue;
            if (most-- == 0) {
                memset(r->suppressed + i, -1, (size_t)(end - i) * sizeof(MARK));
                return OPFORGE_OK;
            }
            NAME(suppress_range)(r, i, i + 1, t.first);
            t.kept[t.n_kept++] = (int32_t)i;
        }
        int64_t left = end - t.first;
        if (t.n_kept == 0 || left == 0) continue;
        if (call == NULL) NAME(suppress_part)(&t, NULL, 0, left);
        else status = call->host->parallel(call, left, 1 + PAIRS / t.n_kept, 0, NAME(suppress_part), &t);
    }
    return status;
}
