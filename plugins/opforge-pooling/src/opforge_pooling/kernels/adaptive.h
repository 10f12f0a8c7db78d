/* Averages of windows whose sizes follow from their number, channels first. Included once for each type.
 * Window i of n over a length m holds the elements from i * m / n up to, and excluding, (i + 1) * m / n
 * rounded up. The axes are summed one after the other. */

static void NAME(average_plane)(const adaptive* p, const T* x, T* rows, T* out) {
    for (int64_t oh = 0; oh < p->out_height; oh++, out += p->out_width) {
        range heights = part(oh, p->height, p->out_height);
        memset(rows, 0, (size_t)p->width * sizeof(T));
        for (int64_t h = heights.begin; h < heights.end; h++) NAME(add)(rows, x + h * p->width, 1, p->width);
        for (int64_t ow = 0; ow < p->out_width; ow++) {
            range widths = part(ow, p->width, p->out_width);
            T count = (T)((heights.end - heights.begin) * (widths.end - widths.begin));
            out[ow] = NAME(sum_of)(rows + widths.begin, widths.end - widths.begin, 1) / count;
        }
    }
}

static void NAME(spread_plane)(const adaptive* p, const T* grad, T* rows, T* dx) {
    memset(dx, 0, (size_t)(p->height * p->width) * sizeof(T));
    for (int64_t oh = 0; oh < p->out_height; oh++, grad += p->out_width) {
        range heights = part(oh, p->height, p->out_height);
        memset(rows, 0, (size_t)p->width * sizeof(T));
        for (int64_t ow = 0; ow < p->out_width; ow++) {
            range widths = part(ow, p->width, p->out_width);
            T share = grad[ow] / (T)((heights.end - heights.begin) * (widths.end - widths.begin));
            for (int64_t w = widths.begin; w < widths.end; w++) rows[w] += share;
        }
        for (int64_t h = heights.begin; h < heights.end; h++) NAME(add)(dx + h * p->width, rows, 1, p->width);
    }
}

static int32_t NAME(average_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const adaptive* p = (const adaptive*)argument;
    int64_t size = p->height * p->width, out_size = p->out_height * p->out_width;
    for (int64_t plane = begin; plane < end; plane++) {
        if (p->backward) NAME(spread_plane)(p, (const T*)p->from + plane * out_size, worker->scratch, (T*)p->to + plane * size);
        else NAME(average_plane)(p, (const T*)p->from + plane * size, worker->scratch, (T*)p->to + plane * out_size);
    }
    return OPFORGE_OK;
}
