/* The body of sampling.c for one type: REAL is the type, NAMED adds a suffix. Without a guard, because it is
 * included once for each type. */

/* A sampling point: the four pixels around it, -1 if outside, and its offset from the first. */
typedef struct NAMED(point) {
    int64_t at[4]; /* left and right in the upper row, then in the lower one */
    REAL down, right;
    REAL weight; /* of the mask */
} NAMED(point);

static NAMED(point) NAMED(find_point)(const conv_shape* s, const conv_field* field, REAL y, REAL x, REAL weight) {
    NAMED(point) point = {.at = {-1, -1, -1, -1}, .weight = weight};
    int64_t height = s->in[1], width = s->in[2];
    REAL first = field->is_padded ? -1 : 0;
    /* False for NaN. */
    int inside = y >= first && x >= first && y < (REAL)height && x < (REAL)width;
    if (!inside || (field->is_padded && (y == first || x == first))) return point;
    int64_t top = (int64_t)floor((double)y), left = (int64_t)floor((double)x);
    int64_t bottom = top + 1, rest = left + 1;
    point.down = y - (REAL)top;
    point.right = x - (REAL)left;
    if (!field->is_padded) {
        if (bottom == height) bottom = top, point.down = 0;
        if (rest == width) rest = left, point.right = 0;
    }
    int64_t rows[2] = {top, bottom}, columns[2] = {left, rest};
    for (int i = 0; i < 4; i++) {
        int64_t row = rows[i / 2], column = columns[i % 2];
        if (row >= 0 && row < height && column >= 0 && column < width) point.at[i] = row * width + column;
    }
    return point;
}

/* Find the sampling points of one element of the filter and one group of channels. */
static void NAMED(find_points)(const conv_shape* s, const conv_field* field, const conv_block* block, int64_t group,
                              int64_t tap, NAMED(point)* points) {
    int64_t positions = conv_volume(s->out), taps = conv_volume(s->kernel), element = group * taps + tap;
    const REAL* down = (const REAL*)field->offset + element * 2 * positions;
    const REAL* mask = (const REAL*)field->mask + (field->mask == NULL ? 0 : element * positions);
    int64_t dy = tap / s->kernel[2] * s->dilate[1] - s->pad[1], dx = tap % s->kernel[2] * s->dilate[2] - s->pad[2];
    for (int64_t position = block->column; position < block->column_end; position++, points++) {
        REAL y = (REAL)(position / s->out[2] * s->stride[1] + dy) + down[position];
        REAL x = (REAL)(position % s->out[2] * s->stride[2] + dx) + down[positions + position];
        *points = NAMED(find_point)(s, field, y, x, field->mask == NULL ? 1 : mask[position]);
    }
}

static inline void NAMED(read_pixels)(const NAMED(point)* point, const REAL* plane, REAL* values) {
    for (int i = 0; i < 4; i++) values[i] = point->at[i] < 0 ? 0 : plane[point->at[i]];
}

static inline REAL NAMED(between)(const NAMED(point)* point, const REAL* v) {
    REAL down = point->down, right = point->right;
    return (1 - down) * ((1 - right) * v[0] + right * v[1]) + down * ((1 - right) * v[2] + right * v[3]);
}

/* Iterate over the channels in [begin, end), one group of the field at a time. */
#define EACH_GROUP(field, begin, end)                                              \
    for (int64_t first = begin, group, last; first < (end); first = last)          \
        if (group = first / (field)->channels, last = (group + 1) * (field)->channels, \
            last = last < (end) ? last : (end), 1)

/* Interpolate some channels at a sampling point. */
static inline void NAMED(blend)(const NAMED(point)* point, const REAL* const* around, int64_t channels,
                                REAL* restrict values) {
    const REAL *a = around[0], *b = around[1], *c = around[2], *d = around[3];
    NAMED(point) local = *point; /* a local copy, which `values` cannot alias */
    for (int64_t i = 0; i < channels; i++) {
        REAL v[4] = {a[i], b[i], c[i], d[i]};
        values[i] = local.weight * NAMED(between)(&local, v);
    }
}

static void NAMED(sample)(const conv_shape* s, const conv_field* field, const conv_block* block, int64_t begin,
                          int64_t end, const REAL* pixels, NAMED(point)* points, REAL* patches) {
    int64_t taps = conv_volume(s->kernel), columns = block->column_end - block->column;
    int64_t all = s->groups * s->in_channels, taken = end - begin;
    REAL* outside = (REAL*)(points + columns);
    memset(outside, 0, (size_t)taken * sizeof(REAL));
    EACH_GROUP(field, begin, end) for (int64_t tap = 0; tap < taps; tap++) {
        NAMED(find_points)(s, field, block, group, tap, points);
        for (int64_t i = 0; i < columns; i++) {
            const REAL* around[4];
            for (int at = 0; at < 4; at++) {
                around[at] = points[i].at[at] < 0 ? outside : pixels + points[i].at[at] * all + first;
            }
            NAMED(blend)(&points[i], around, last - first, patches + (i * taps + tap) * taken + first - begin);
        }
    }
}

/* Add the gradient of one sample to those of the four pixels. */
static inline void NAMED(add_to_pixels)(const NAMED(point)* point, REAL grad, REAL* plane) {
    REAL down = point->down, right = point->right;
    REAL part[4] = {(1 - down) * (1 - right), (1 - down) * right, down * (1 - right), down * right};
    for (int i = 0; i < 4; i++) {
        if (point->at[i] >= 0) plane[point->at[i]] += part[i] * grad;
    }
}

static void NAMED(unsample)(const conv_shape* s, const conv_field* field, const conv_block* block, int64_t begin,
                            int64_t end, const REAL* data, NAMED(point)* points, const REAL* patches,
                            const conv_field_grads* grads) {
    int64_t taps = conv_volume(s->kernel), plane = conv_volume(s->in), positions = conv_volume(s->out);
    int64_t columns = block->column_end - block->column;
    EACH_GROUP(field, begin, end) for (int64_t tap = 0; tap < taps; tap++) {
        int64_t element = group * taps + tap;
        REAL* down = (REAL*)grads->offset + (grads->offset == NULL ? 0 : element * 2 * positions + block->column);
        REAL* mask = (REAL*)grads->mask + (grads->mask == NULL ? 0 : element * positions + block->column);
        NAMED(find_points)(s, field, block, group, tap, points);
        for (int64_t channel = first; channel < last; channel++) {
            const REAL* row = patches + ((channel - begin) * taps + tap) * columns;
            for (int64_t i = 0; i < columns; i++) {
                const NAMED(point)* point = &points[i];
                REAL grad = row[i] * point->weight, v[4];
                if (grads->data != NULL) NAMED(add_to_pixels)(point, grad, (REAL*)grads->data + channel * plane);
                if (grads->offset == NULL && grads->mask == NULL) continue;
                NAMED(read_pixels)(point, data + channel * plane, v);
                if (grads->mask != NULL) mask[i] += row[i] * NAMED(between)(point, v);
                if (grads->offset == NULL) continue;
                down[i] += grad * ((1 - point->right) * (v[2] - v[0]) + point->right * (v[3] - v[1]));
                down[positions + i] += grad * ((1 - point->down) * (v[1] - v[0]) + point->down * (v[3] - v[2]));
            }
        }
    }
}

#undef EACH_GROUP
