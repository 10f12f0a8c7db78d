/* Suppression within classes. Included once per type. */
#include "ranking.h"
#include "suppression.h"

/* Buffers of boxes grouped by class. */
typedef struct NAME(classes) {
    NAME(ranking) order;
    NAME(ranked) grouped;
    int32_t* of; /* class of each box */
} NAME(classes);

static NAME(classes) NAME(make_classes)(arena* r, int64_t n, suppression_rule rule, double threshold) {
    NAME(classes) made;
    made.order = NAME(make_ranking)(r, n);
    made.grouped = NAME(make_ranked)(r, n, rule, threshold);
    made.of = (int32_t*)arena_take(r, n * (int64_t)sizeof(int32_t));
    return made;
}

/* Suppress boxes among `n` by boxes of the same class, one class at a time. */
static int32_t NAME(suppress_classes)(const NAME(ranked)* r, NAME(classes)* c, int64_t n, opforge_call* call) {
    for (int64_t i = 0; i < n; i++) {
        c->order.keys[i] = (KEY)(uint32_t)c->of[i];
        c->order.numbers[i] = (int32_t)i;
    }
    NAME(sort)(&c->order, n);
    for (int64_t i = 0; i < n; i++)
        NAME(put_box)(&c->grouped.boxes, i, NAME(get_box)(&r->boxes, c->order.numbers[i]));
    int32_t status = OPFORGE_OK;
    for (int64_t begin = 0, end = 0; begin < n && !status; begin = end) {
        while (end < n && c->order.keys[end] == c->order.keys[begin]) end++;
        status = NAME(suppress)(&c->grouped, begin, end, n, call);
    }
    for (int64_t i = 0; i < n; i++) r->suppressed[c->order.numbers[i]] = c->grouped.suppressed[i];
    return status;
}
