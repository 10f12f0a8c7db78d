/* Dropout between layers. An element is dropped according to its position in a random stream that a key seeds, so
 * that backward reproduces the mask. Included once for each type. */

typedef struct NAME(dropout_work) {
    uint64_t key;
    double p;
    const T* x;
    T* y;
} NAME(dropout_work);

static void NAME(dropout_part)(void* argument, int64_t begin, int64_t end) {
    const NAME(dropout_work)* w = (const NAME(dropout_work)*)argument;
    T scale = (T)(1 / (1 - w->p));
    for (int64_t i = begin; i < end; i++) w->y[i] = opforge_uniform(w->key, (uint64_t)i) < w->p ? 0 : w->x[i] * scale;
}

/* Apply the dropout above a layer: y = dropout(x); x and y may be the same array. */
static void NAME(apply_dropout)(opforge_call* call, const rnn_shape* s, uint64_t key, int64_t layer, const T* x, T* y) {
    int64_t n = s->steps * s->batch * s->set.directions * s->set.out;
    NAME(dropout_work) w = {key + (uint64_t)layer * UINT64_C(0xD1342543DE82EF95), s->set.p, x, y};
    call->host->parallel_for(call, n, GRAIN / 4, NAME(dropout_part), &w);
}
