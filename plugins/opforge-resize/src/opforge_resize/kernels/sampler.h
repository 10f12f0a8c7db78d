/* Bilinear sampling of images, which are 0 outside. Included once for each type. */

/* A sampling point: the upper left of the four pixels around it, and its offset from that pixel. */
typedef struct NAME(point) {
    int64_t x, y;
    T right, down;
    int inside; /* at least one of the four pixels is in the image */
} NAME(point);

static inline NAME(point) NAME(make_point)(const sampling* s, T gx, T gy) {
    T x = (gx + 1) * (T)(s->width - 1) / 2, y = (gy + 1) * (T)(s->height - 1) / 2;
    NAME(point) p = {.inside = x > -1 && y > -1 && x < (T)s->width && y < (T)s->height};
    if (!p.inside) {
        p.right = p.down = x != x || y != y ? (T)NAN : 0;
        return p;
    }
    T left = floor(x), top = floor(y);
    p.x = (int64_t)left;
    p.y = (int64_t)top;
    p.right = x - left;
    p.down = y - top;
    return p;
}

static inline int NAME(contains)(const sampling* s, int64_t y, int64_t x) {
    return y >= 0 && x >= 0 && y < s->height && x < s->width;
}

static inline T NAME(read)(const sampling* s, const T* plane, int64_t y, int64_t x) {
    return NAME(contains)(s, y, x) ? plane[y * s->width + x] : 0;
}

static inline void NAME(add_to)(const sampling* s, T* plane, int64_t y, int64_t x, T value) {
    if (NAME(contains)(s, y, x)) plane[y * s->width + x] += value;
}

/* The point at one position of an image's grid. */
static inline NAME(point) NAME(point_at)(const sampling* s, int64_t image, int64_t at) {
    const T* grid = (const T*)s->grid + image * 2 * s->out_size;
    return NAME(make_point)(s, grid[at], grid[s->out_size + at]);
}

static int32_t NAME(sample_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const sampling* s = (const sampling*)argument;
    (void)worker;
    for (int64_t unit = begin; unit < end; unit++) {
        const T* plane = (const T*)s->data + unit * s->height * s->width;
        T* out = (T*)s->out + unit * s->out_size;
        for (int64_t at = 0; at < s->out_size; at++) {
            NAME(point) p = NAME(point_at)(s, unit / s->channels, at);
            if (!p.inside) {
                out[at] = p.right;
                continue;
            }
            T up = (1 - p.right) * NAME(read)(s, plane, p.y, p.x) + p.right * NAME(read)(s, plane, p.y, p.x + 1);
            T below = (1 - p.right) * NAME(read)(s, plane, p.y + 1, p.x) + p.right * NAME(read)(s, plane, p.y + 1, p.x + 1);
            out[at] = (1 - p.down) * up + p.down * below;
        }
    }
    return OPFORGE_OK;
}

static int32_t NAME(data_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const sampling* s = (const sampling*)argument;
    (void)worker;
    for (int64_t unit = begin; unit < end; unit++) {
        T* plane = (T*)s->data_grad + unit * s->height * s->width;
        const T* grad = (const T*)s->out + unit * s->out_size;
        memset(plane, 0, (size_t)(s->height * s->width) * sizeof(T));
        for (int64_t at = 0; at < s->out_size; at++) {
            NAME(point) p = NAME(point_at)(s, unit / s->channels, at);
            if (!p.inside) continue;
            NAME(add_to)(s, plane, p.y, p.x, grad[at] * (1 - p.down) * (1 - p.right));
            NAME(add_to)(s, plane, p.y, p.x + 1, grad[at] * (1 - p.down) * p.right);
            NAME(add_to)(s, plane, p.y + 1, p.x, grad[at] * p.down * (1 - p.right));
            NAME(add_to)(s, plane, p.y + 1, p.x + 1, grad[at] * p.down * p.right);
        }
    }
    return OPFORGE_OK;
}

/* The unit of work is an image, because all channels share its grid. */
static int32_t NAME(grid_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const sampling* s = (const sampling*)argument;
    (void)worker;
    for (int64_t image = begin; image < end; image++) {
        T* dx = (T*)s->grid_grad + image * 2 * s->out_size;
        for (int64_t at = 0; at < s->out_size; at++) {
            NAME(point) p = NAME(point_at)(s, image, at);
            T by_x = 0, by_y = 0;
            for (int64_t c = 0; p.inside && c < s->channels; c++) {
                int64_t unit = image * s->channels + c;
                const T* plane = (const T*)s->data + unit * s->height * s->width;
                T grad = ((const T*)s->out)[unit * s->out_size + at];
                T a = NAME(read)(s, plane, p.y, p.x), b = NAME(read)(s, plane, p.y, p.x + 1);
                T e = NAME(read)(s, plane, p.y + 1, p.x), f = NAME(read)(s, plane, p.y + 1, p.x + 1);
                by_x += grad * ((1 - p.down) * (b - a) + p.down * (f - e));
                by_y += grad * ((1 - p.right) * (e - a) + p.right * (f - b));
            }
            dx[at] = by_x * (T)(s->width - 1) / 2;
            dx[s->out_size + at] = by_y * (T)(s->height - 1) / 2;
        }
    }
    return OPFORGE_OK;
}
