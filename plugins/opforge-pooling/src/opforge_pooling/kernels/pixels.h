/* Channels last: the channels of a pixel are contiguous, so each window is reduced as a vector. Included
 * once for each type. A unit of work is a row of windows, in backward a row of elements. */

static inline T NAME(pixel_share)(const plan* p, const opforge_call* call, int64_t at, int64_t c, int64_t count) {
    T out = p->power > 1 ? ((const T*)call->outputs[0].data)[at + c] : 0;
    return NAME(element_share)(p, ((const T*)call->out_grads[0].data)[at + c], out, count);
}

static int64_t NAME(divisor_at)(const plan* p, int64_t od, int64_t oh, int64_t ow) {
    return p->average ? p->axes[DEPTH].divisors[od] * p->axes[HEIGHT].divisors[oh] * p->axes[WIDTH].divisors[ow] : 1;
}

static void NAME(pool_pixel)(const plan* p, const T* plane, T* value, INDEX* argmax, int64_t od, int64_t oh,
                             int64_t ow) {
    const axis* a = p->axes;
    range depths = window_range(&a[DEPTH], od), heights = window_range(&a[HEIGHT], oh), widths = window_range(&a[WIDTH], ow);
    NAME(reset)(p, value, argmax, p->inner);
    for (int64_t d = depths.begin; d < depths.end; d++) {
        for (int64_t h = heights.begin; h < heights.end; h++) {
            int64_t row = tap_index(&a[DEPTH], od, d) * a[HEIGHT].window + tap_index(&a[HEIGHT], oh, h);
            for (int64_t w = widths.begin; w < widths.end; w++) {
                const T* x = plane + ((d * a[HEIGHT].in + h) * a[WIDTH].in + w) * p->inner;
                INDEX tap = (INDEX)(row * a[WIDTH].window + tap_index(&a[WIDTH], ow, w));
                NAME(visit)(p, value, argmax, x, tap, p->inner);
            }
        }
    }
}

static void NAME(pool_pixels)(const plan* p, const opforge_call* call, char* scratch, int64_t begin, int64_t end) {
    const axis* a = p->axes;
    const int64_t rows = a[DEPTH].out * a[HEIGHT].out;
    INDEX* argmax = (INDEX*)scratch;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t od = unit % rows / a[HEIGHT].out, oh = unit % a[HEIGHT].out;
        const T* plane = (const T*)call->inputs[0].data + unit / rows * p->in_size * p->inner;
        for (int64_t ow = 0; ow < a[WIDTH].out; ow++) {
            int64_t at = (unit * a[WIDTH].out + ow) * p->inner;
            T* value = (T*)call->outputs[0].data + at;
            NAME(pool_pixel)(p, plane, value, argmax, od, oh, ow);
            if (p->kind == MAXIMUM) {
                NAME(store_argmax)(p, call->outputs[1].data, at, argmax, p->inner);
            } else {
                int64_t count = NAME(divisor_at)(p, od, oh, ow);
                for (int64_t c = 0; c < p->inner; c++) value[c] = NAME(finish_sum)(p, value[c], count);
            }
        }
    }
}

static void NAME(spread_to_pixel)(const plan* p, const opforge_call* call, int64_t image, const range* outputs,
                                  T* dx) {
    const axis* a = p->axes;
    for (int64_t od = outputs[DEPTH].begin; od < outputs[DEPTH].end; od++) {
        for (int64_t oh = outputs[HEIGHT].begin; oh < outputs[HEIGHT].end; oh++) {
            for (int64_t ow = outputs[WIDTH].begin; ow < outputs[WIDTH].end; ow++) {
                int64_t at = image * p->out_size + (od * a[HEIGHT].out + oh) * a[WIDTH].out + ow;
                int64_t count = NAME(divisor_at)(p, od, oh, ow);
                for (int64_t c = 0; c < p->inner; c++) dx[c] += NAME(pixel_share)(p, call, at * p->inner, c, count);
            }
        }
    }
}

static void NAME(spread_pixels)(const plan* p, const opforge_call* call, char* scratch, int64_t begin, int64_t end) {
    const axis* a = p->axes;
    const int64_t rows = a[DEPTH].in * a[HEIGHT].in;
    (void)scratch;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t d = unit % rows / a[HEIGHT].in, h = unit % a[HEIGHT].in;
        range outputs[3] = {output_range(&a[DEPTH], d), output_range(&a[HEIGHT], h)};
        for (int64_t w = 0; w < a[WIDTH].in; w++) {
            int64_t at = (unit * a[WIDTH].in + w) * p->inner;
            T* dx = (T*)call->in_grads[0].data + at;
            outputs[WIDTH] = output_range(&a[WIDTH], w);
            memset(dx, 0, (size_t)p->inner * sizeof(T));
            NAME(spread_to_pixel)(p, call, unit / rows, outputs, dx);
            if (p->power == 1) continue;
            const T* x = (const T*)call->inputs[0].data + at;
            for (int64_t c = 0; c < p->inner; c++) dx[c] *= NAME(inner_derivative)(p, x[c]);
        }
    }
}
