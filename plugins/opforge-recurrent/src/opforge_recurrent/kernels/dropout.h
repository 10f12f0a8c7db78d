/* Dropout between layers: an element stays by its number in a stream that begins with a key, so that backward
 * knows it again. Included once for each type. */

typedef struct NAME(dropping) {
    uint64_t key;
    double p;
    const T* x;
    T* y;
} NAME(dropping);

static void NAME(drop_part)(void* argument, int64_t begin, int64_t end) {
    const NAME(dropping)* w = (const NAME(dropping)*)argument;
    T scale = (T)(1 / (1 - w->p));
    for (int64_t i = begin; i < end; i++) w->y[i] = opforge_uniform(w->key, (uint64_t)i) < w->p ? 0 : w->x[i] * scale;
}

/* y = what is left of x, which may be y, above a layer. */
static void NAME(drop)(opforge_call* call, const rnn_shape* s, uint64_t key, int64_t layer, const T* x, T* y) {
    int64_t n = s->steps * s->batch * s->set.directions * s->set.out;
    NAME(dropping) w = {key + (uint64_t)layer * UINT64_C(0xD1342543DE82EF95), s->set.p, x, y};
    call->host->parallel_for(call, n, GRAIN / 4, NAME(drop_part), &w);
}
