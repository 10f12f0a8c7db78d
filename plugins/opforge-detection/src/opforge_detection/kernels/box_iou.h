/* Overlaps of a box with a block of boxes stored as separate arrays of edges. Included once per type. */
#include "edges.h"

static inline T NAME(share)(T common, T one_area, T other_area) {
    return common <= 0 ? 0 : common / (one_area + other_area - common);
}

/* As in MXNet, corners are compared in the order of the inputs and centers in reverse, which matters for NaN. */
static void NAME(overlaps)(NAME(box) a, const NAME(edges)* b, int64_t n, int is_center, T* out) {
    if (is_center) {
        for (int64_t i = 0; i < n; i++) {
            T common = NAME(common)(b->left[i], b->right[i], a.left, a.right, 0) *
                       NAME(common)(b->top[i], b->bottom[i], a.top, a.bottom, 0);
            out[i] = NAME(share)(common, a.area, b->area[i]);
        }
    } else {
        for (int64_t i = 0; i < n; i++) {
            T common = NAME(common)(a.left, a.right, b->left[i], b->right[i], 0) *
                       NAME(common)(a.top, a.bottom, b->top[i], b->bottom[i], 0);
            out[i] = NAME(share)(common, a.area, b->area[i]);
        }
    }
}

/* Units are boxes of the left side, each with a row of overlaps. */
static int32_t NAME(iou_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const iou_work* w = (const iou_work*)argument;
    arena r = {(char*)worker->scratch, 0};
    NAME(edges) block = NAME(make_edges)(&r, BLOCK);
    for (int64_t first = 0; first < w->n_rhs; first += BLOCK) {
        int64_t n = w->n_rhs - first < BLOCK ? w->n_rhs - first : BLOCK;
        for (int64_t i = 0; i < n; i++)
            NAME(put_box)(&block, i, NAME(read_box)((const T*)w->rhs + 4 * (first + i), w->is_center));
        for (int64_t i = begin; i < end; i++) {
            NAME(box) a = NAME(read_box)((const T*)w->lhs + 4 * i, w->is_center);
            NAME(overlaps)(a, &block, n, w->is_center, (T*)w->out + i * w->n_rhs + first);
        }
    }
    return OPFORGE_OK;
}
