/* Boxes stored as separate arrays of edges, for vectorization. Included once per type. */
#include "boxes.h"

typedef struct NAME(edges) {
    T *left, *top, *right, *bottom, *area;
} NAME(edges);

static inline NAME(edges) NAME(make_edges)(arena* r, int64_t n) {
    NAME(edges) made;
    made.left = (T*)arena_take(r, n * (int64_t)sizeof(T));
    made.top = (T*)arena_take(r, n * (int64_t)sizeof(T));
    made.right = (T*)arena_take(r, n * (int64_t)sizeof(T));
    made.bottom = (T*)arena_take(r, n * (int64_t)sizeof(T));
    made.area = (T*)arena_take(r, n * (int64_t)sizeof(T));
    return made;
}

static inline void NAME(put_box)(const NAME(edges)* e, int64_t at, NAME(box) b) {
    e->left[at] = b.left;
    e->top[at] = b.top;
    e->right[at] = b.right;
    e->bottom[at] = b.bottom;
    e->area[at] = b.area;
}

static inline NAME(box) NAME(get_box)(const NAME(edges)* e, int64_t at) {
    return (NAME(box)){e->left[at], e->top[at], e->right[at], e->bottom[at], e->area[at]};
}
