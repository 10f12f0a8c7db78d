/* Encoding of boxes relative to anchors, and decoding of predictions. Included once per type. */

/* Center and size of a box. */
typedef struct NAME(middle) {
    T x, y, width, height;
} NAME(middle);

static inline NAME(middle) NAME(middle_of)(const T* x, int is_center) {
    if (is_center) return (NAME(middle)){x[0], x[1], x[2], x[3]};
    T width = x[2] - x[0], height = x[3] - x[1];
    return (NAME(middle)){x[0] + width / 2, x[1] + height / 2, width, height};
}

/* Units are anchors of all images. Targets and masks of samples that are not positive are zero. */
static int32_t NAME(encode_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const encode_work* w = (const encode_work*)argument;
    const T *means = (const T*)w->means, *stds = (const T*)w->stds;
    (void)worker;
    for (int64_t at = begin; at < end; at++) {
        T *target = (T*)w->targets + 4 * at, *mask = (T*)w->masks + 4 * at;
        int counts = (double)((const T*)w->samples)[at] > 0.5;
        T match = ((const T*)w->matches)[at];
        for (int i = 0; i < 4; i++) {
            target[i] = 0;
            mask[i] = (T)counts;
        }
        if (!counts) continue;
        if (!(match > -1 && match < (T)w->n_refs))
            return opforge_fail(w->call, OPFORGE_ERROR, "input 'matches' has %g for anchor %lld of image %lld; "
                                "expected an index of one of %lld refs", (double)match, (long long)(at % w->n),
                                (long long)(at / w->n), (long long)w->n_refs);
        const T* ref = (const T*)w->refs + 4 * (at / w->n * w->n_refs + (int64_t)match);
        NAME(middle) to = NAME(middle_of)(ref, 0), from = NAME(middle_of)((const T*)w->anchors + 4 * at, 0);
        target[0] = ((to.x - from.x) / from.width - means[0]) / stds[0];
        target[1] = ((to.y - from.y) / from.height - means[1]) / stds[1];
        target[2] = (log(to.width / from.width) - means[2]) / stds[2];
        target[3] = (log(to.height / from.height) - means[3]) / stds[3];
    }
    return OPFORGE_OK;
}

/* Return exp(delta), limited to exp(clip) if `clip` is positive; NaN yields the limit. */
static inline T NAME(growth)(T delta, T clip) {
    if (clip > 0) delta = delta < clip ? delta : clip;
    return exp(delta);
}

/* Units are predictions of all images. */
static int32_t NAME(decode_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const decode_work* w = (const decode_work*)argument;
    T std0 = (T)w->stds[0], std1 = (T)w->stds[1], std2 = (T)w->stds[2], std3 = (T)w->stds[3], clip = (T)w->clip;
    (void)worker;
    for (int64_t at = begin; at < end; at++) {
        const T* delta = (const T*)w->deltas + 4 * at;
        NAME(middle) a = NAME(middle_of)((const T*)w->anchors + 4 * (at % w->n), w->is_center);
        T x = delta[0] * std0 * a.width + a.x, y = delta[1] * std1 * a.height + a.y;
        T half_width = NAME(growth)(delta[2] * std2, clip) * a.width / 2;
        T half_height = NAME(growth)(delta[3] * std3, clip) * a.height / 2;
        T* box = (T*)w->boxes + 4 * at;
        box[0] = x - half_width;
        box[1] = y - half_height;
        box[2] = x + half_width;
        box[3] = y + half_height;
    }
    return OPFORGE_OK;
}
