/* Suppression within classes. Included once for each type. */

/* Room for boxes of one class each, next to each other. */
typedef struct NAME(classes) {
    NAME(ranking) order;
    NAME(ranked) grouped;
    int32_t* of; /* the class of each box */
} NAME(classes);

static NAME(classes) NAME(make_classes)(room* r, int64_t n, suppression_rule rule, double threshold) {
    NAME(classes) made;
    made.order = NAME(make_ranking)(r, n);
    made.grouped = NAME(make_ranked)(r, n, rule, threshold);
    made.of = (int32_t*)take(r, n * (int64_t)sizeof(int32_t));
    return made;
}

/* Suppress `n` boxes by boxes of their own class alone, a class after the other. */
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
    for (int64_t i = 0; i < n; i++) r->gone[c->order.numbers[i]] = c->grouped.gone[i];
    return status;
}
