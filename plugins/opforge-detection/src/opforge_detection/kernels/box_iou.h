/* The overlaps of one box with a block of others, whose edges lie in arrays of their own. Included once
 * for each type. */

enum { NAME(BLOCK) = 256 };

typedef struct NAME(edges) {
    T left[NAME(BLOCK)], top[NAME(BLOCK)], right[NAME(BLOCK)], bottom[NAME(BLOCK)], area[NAME(BLOCK)];
} NAME(edges);

static void NAME(spread_edges)(const T* boxes, int64_t n, int is_center, NAME(edges)* e) {
    for (int64_t i = 0; i < n; i++) {
        NAME(box) b = NAME(read_box)(boxes + 4 * i, is_center);
        e->left[i] = b.left;
        e->top[i] = b.top;
        e->right[i] = b.right;
        e->bottom[i] = b.bottom;
        e->area[i] = b.area;
    }
}

static inline T NAME(share)(T common, T one_area, T other_area) {
    return common <= 0 ? 0 : common / (one_area + other_area - common);
}

/* MXNet takes corners in the order of the inputs and centers in the other one, which NaN shows. */
static void NAME(overlaps)(NAME(box) a, const NAME(edges)* b, int64_t n, int is_center, T* out) {
    if (is_center) {
        for (int64_t i = 0; i < n; i++) {
            T common = NAME(common)(b->left[i], b->right[i], a.left, a.right) *
                       NAME(common)(b->top[i], b->bottom[i], a.top, a.bottom);
            out[i] = NAME(share)(common, a.area, b->area[i]);
        }
    } else {
        for (int64_t i = 0; i < n; i++) {
            T common = NAME(common)(a.left, a.right, b->left[i], b->right[i]) *
                       NAME(common)(a.top, a.bottom, b->top[i], b->bottom[i]);
            out[i] = NAME(share)(common, a.area, b->area[i]);
        }
    }
}

/* Boxes of the left side, of which each has a row of overlaps. */
static int32_t NAME(iou_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const iou_work* w = (const iou_work*)argument;
    NAME(edges) block;
    (void)worker;
    for (int64_t first = 0; first < w->n_rhs; first += NAME(BLOCK)) {
        int64_t n = w->n_rhs - first < NAME(BLOCK) ? w->n_rhs - first : NAME(BLOCK);
        NAME(spread_edges)((const T*)w->rhs + 4 * first, n, w->is_center, &block);
        for (int64_t i = begin; i < end; i++) {
            NAME(box) a = NAME(read_box)((const T*)w->lhs + 4 * i, w->is_center);
            NAME(overlaps)(a, &block, n, w->is_center, (T*)w->out + i * w->n_rhs + first);
        }
    }
    return OPFORGE_OK;
}
