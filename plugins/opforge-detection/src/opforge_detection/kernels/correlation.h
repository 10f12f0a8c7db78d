/* Correlation of the patches of an image with nearby patches of another. Included once per type. */

/* Copy a plane into one padded with zeros. */
static void NAME(pad_plane)(const correlation* k, const T* plane, T* padded) {
    int64_t width = k->width + 2 * k->pad;
    memset(padded, 0, (size_t)padded_pixels(k) * sizeof(T));
    for (int64_t y = 0; y < k->height; y++) {
        memcpy(padded + (y + k->pad) * width + k->pad, plane + y * k->width, (size_t)k->width * sizeof(T));
    }
}

/* Pad the planes of both images. Units are planes of one image. */
static int32_t NAME(pad_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const correlation* k = (const correlation*)argument;
    int64_t pixels = k->height * k->width;
    (void)worker;
    for (int64_t at = begin; at < end; at++) {
        NAME(pad_plane)(k, (const T*)k->data[0] + at * pixels, (T*)k->padded[0] + at * padded_pixels(k));
        NAME(pad_plane)(k, (const T*)k->data[1] + at * pixels, (T*)k->padded[1] + at * padded_pixels(k));
    }
    return OPFORGE_OK;
}

/* Offsets of the pixels that a row of results reads in both images. */
typedef struct NAME(rows) {
    int64_t first, second;
} NAME(rows);

static inline NAME(rows) NAME(rows_of)(const correlation* k, int64_t shift, int64_t row, int64_t tap) {
    int64_t width = k->width + 2 * k->pad, across = 2 * k->radius + 1;
    int64_t y = row * k->stride + k->reach + tap / k->kernel, x = k->reach + tap % k->kernel;
    int64_t down = (shift / across - k->radius) * k->step, right = (shift % across - k->radius) * k->step;
    return (NAME(rows)){y * width + x, (y + down) * width + x + right};
}

/* Sum over the channels and taps of a patch. Units are the shifts of an image. */
static int32_t NAME(correlate_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const correlation* k = (const correlation*)argument;
    int64_t shifts = shifts_of(k), taps = k->kernel * k->kernel, n = k->out_width, stride = k->stride;
    T count = (T)(taps * k->channels);
    (void)worker;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t image = unit / shifts * k->channels * padded_pixels(k);
        const T *first = (const T*)k->padded[0] + image, *second = (const T*)k->padded[1] + image;
        for (int64_t row = 0; row < k->out_height; row++) {
            T* restrict out = (T*)k->out + (unit * k->out_height + row) * n;
            memset(out, 0, (size_t)n * sizeof(T));
            for (int64_t at = 0; at < taps * k->channels; at++) {
                NAME(rows) rows = NAME(rows_of)(k, unit % shifts, row, at % taps);
                const T* a = first + at / taps * padded_pixels(k) + rows.first;
                const T* b = second + at / taps * padded_pixels(k) + rows.second;
                if (!k->is_product) {
                    for (int64_t j = 0; j < n; j++) {
                        T difference = a[j * stride] - b[j * stride];
                        out[j] += difference < 0 ? -difference : difference;
                    }
                } else if (stride == 1) {
                    for (int64_t j = 0; j < n; j++) out[j] += a[j] * b[j];
                } else {
                    for (int64_t j = 0; j < n; j++) out[j] += a[j * stride] * b[j * stride];
                }
            }
            for (int64_t j = 0; j < n && k->channels > 0; j++) out[j] /= count;
        }
    }
    return OPFORGE_OK;
}

/* -- gradients: units are planes of both images ------------------------------------------------------------------ */

static void NAME(add_row)(const correlation* k, const T* restrict grad, const T* a, const T* b, T* restrict by_a,
                          T* restrict by_b) {
    int64_t n = k->out_width, stride = k->stride;
    if (k->is_product) {
        for (int64_t j = 0; j < n; j++) {
            by_a[j * stride] += grad[j] * b[j * stride];
            by_b[j * stride] += grad[j] * a[j * stride];
        }
    } else {
        for (int64_t j = 0; j < n; j++) {
            T rises = a[j * stride] >= b[j * stride] ? grad[j] : -grad[j];
            by_a[j * stride] += rises;
            by_b[j * stride] -= rises;
        }
    }
}

static void NAME(crop_plane)(const correlation* k, const T* padded, T* plane) {
    int64_t width = k->width + 2 * k->pad;
    T count = (T)(k->kernel * k->kernel * k->channels);
    for (int64_t y = 0; y < k->height; y++) {
        const T* row = padded + (y + k->pad) * width + k->pad;
        for (int64_t x = 0; x < k->width; x++) plane[y * k->width + x] = row[x] / count;
    }
}

static int32_t NAME(part_correlation)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const correlation* k = (const correlation*)argument;
    int64_t pixels = k->height * k->width, padded = padded_pixels(k), taps = k->kernel * k->kernel;
    T *a = (T*)worker->scratch, *b = a + padded, *by_a = b + padded, *by_b = by_a + padded;
    for (int64_t plane = begin; plane < end; plane++) {
        NAME(pad_plane)(k, (const T*)k->data[0] + plane * pixels, a);
        NAME(pad_plane)(k, (const T*)k->data[1] + plane * pixels, b);
        memset(by_a, 0, (size_t)(2 * padded) * sizeof(T));
        for (int64_t at = 0; at < shifts_of(k) * k->out_height; at++) {
            const T* grad = (const T*)k->out + (plane / k->channels * shifts_of(k) * k->out_height + at) * k->out_width;
            for (int64_t tap = 0; tap < taps; tap++) {
                NAME(rows) rows = NAME(rows_of)(k, at / k->out_height, at % k->out_height, tap);
                NAME(add_row)(k, grad, a + rows.first, b + rows.second, by_a + rows.first, by_b + rows.second);
            }
        }
        if (k->grads[0] != NULL) NAME(crop_plane)(k, by_a, (T*)k->grads[0] + plane * pixels);
        if (k->grads[1] != NULL) NAME(crop_plane)(k, by_b, (T*)k->grads[1] + plane * pixels);
    }
    return OPFORGE_OK;
}
