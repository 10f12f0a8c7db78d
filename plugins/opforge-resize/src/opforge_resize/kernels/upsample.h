/* Depthwise transposed convolution, which UpSampling with weights is: each element adds its channel's
 * filter, scaled by its value, to a larger plane. Included once for each type. */

/* The rows (or columns) of the filter of element `at` that are inside a plane with `out` of them. */
static inline range NAME(visible_range)(const upsampling* s, int64_t at, int64_t out) {
    int64_t begin = at * s->scale - s->pad;
    int64_t first = begin < 0 ? -begin : 0;
    int64_t end = out - begin < s->size ? out - begin : s->size;
    return (range){first, end > first ? end : first};
}

static int32_t NAME(upsample_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const upsampling* s = (const upsampling*)argument;
    (void)worker;
    for (int64_t plane = begin; plane < end; plane++) {
        const T* x = (const T*)s->data + plane * s->height * s->width;
        const T* weight = (const T*)s->weight + plane % s->channels * s->size * s->size;
        T* out = (T*)s->out + plane * s->out_height * s->out_width;
        memset(out, 0, (size_t)(s->out_height * s->out_width) * sizeof(T));
        for (int64_t h = 0; h < s->height; h++) {
            range rows = NAME(visible_range)(s, h, s->out_height);
            for (int64_t w = 0; w < s->width; w++) {
                range columns = NAME(visible_range)(s, w, s->out_width);
                for (int64_t i = rows.begin; i < rows.end; i++) {
                    T* to = out + (h * s->scale - s->pad + i) * s->out_width + w * s->scale - s->pad;
                    for (int64_t j = columns.begin; j < columns.end; j++) to[j] += x[h * s->width + w] * weight[i * s->size + j];
                }
            }
        }
    }
    return OPFORGE_OK;
}

static int32_t NAME(upsample_data_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const upsampling* s = (const upsampling*)argument;
    (void)worker;
    for (int64_t plane = begin; plane < end; plane++) {
        T* dx = (T*)s->data_grad + plane * s->height * s->width;
        const T* weight = (const T*)s->weight + plane % s->channels * s->size * s->size;
        const T* grad = (const T*)s->out + plane * s->out_height * s->out_width;
        for (int64_t h = 0; h < s->height; h++) {
            range rows = NAME(visible_range)(s, h, s->out_height);
            for (int64_t w = 0; w < s->width; w++) {
                range columns = NAME(visible_range)(s, w, s->out_width);
                T total = 0;
                for (int64_t i = rows.begin; i < rows.end; i++) {
                    const T* from = grad + (h * s->scale - s->pad + i) * s->out_width + w * s->scale - s->pad;
                    for (int64_t j = columns.begin; j < columns.end; j++) total += from[j] * weight[i * s->size + j];
                }
                dx[h * s->width + w] = total;
            }
        }
    }
    return OPFORGE_OK;
}

/* The unit of work is a channel, because all images share its filter. */
static int32_t NAME(upsample_weight_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const upsampling* s = (const upsampling*)argument;
    (void)worker;
    for (int64_t channel = begin; channel < end; channel++) {
        T* dw = (T*)s->weight_grad + channel * s->size * s->size;
        memset(dw, 0, (size_t)(s->size * s->size) * sizeof(T));
        for (int64_t plane = channel; plane < s->planes; plane += s->channels) {
            const T* x = (const T*)s->data + plane * s->height * s->width;
            const T* grad = (const T*)s->out + plane * s->out_height * s->out_width;
            for (int64_t h = 0; h < s->height; h++) {
                range rows = NAME(visible_range)(s, h, s->out_height);
                for (int64_t w = 0; w < s->width; w++) {
                    range columns = NAME(visible_range)(s, w, s->out_width);
                    for (int64_t i = rows.begin; i < rows.end; i++) {
                        const T* from = grad + (h * s->scale - s->pad + i) * s->out_width + w * s->scale - s->pad;
                        for (int64_t j = columns.begin; j < columns.end; j++) dw[i * s->size + j] += x[h * s->width + w] * from[j];
                    }
                }
            }
        }
    }
    return OPFORGE_OK;
}
