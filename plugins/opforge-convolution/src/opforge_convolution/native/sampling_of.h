/* The body of sampling.c for one type: REAL, and NAMED, which makes a function's name. No guard: it is
 * included once for each. */

/* A moved place: the four pixels around it, -1 where there is none, and where it is between them. */
typedef struct NAMED(spot) {
    int64_t at[4]; /* left and right of the upper row, then of the lower one */
    REAL down, right;
    REAL weight; /* the mask's */
} NAMED(spot);

static NAMED(spot) NAMED(find_spot)(const conv_shape* s, const conv_field* field, REAL y, REAL x, REAL weight) {
    NAMED(spot) spot = {.at = {-1, -1, -1, -1}, .weight = weight};
    int64_t height = s->in[1], width = s->in[2];
    REAL first = field->is_padded ? -1 : 0;
    /* Written so that nan is outside. */
    int inside = y >= first && x >= first && y < (REAL)height && x < (REAL)width;
    if (!inside || (field->is_padded && (y == first || x == first))) return spot;
    int64_t top = (int64_t)floor((double)y), left = (int64_t)floor((double)x);
    int64_t bottom = top + 1, rest = left + 1;
    spot.down = y - (REAL)top;
    spot.right = x - (REAL)left;
    if (!field->is_padded) {
        if (bottom == height) bottom = top, spot.down = 0;
        if (rest == width) rest = left, spot.right = 0;
    }
    int64_t rows[2] = {top, bottom}, columns[2] = {left, rest};
    for (int i = 0; i < 4; i++) {
        int64_t row = rows[i / 2], column = columns[i % 2];
        if (row >= 0 && row < height && column >= 0 && column < width) spot.at[i] = row * width + column;
    }
    return spot;
}

/* Find the spots of one element of the filter and one group of channels. */
static void NAMED(find_spots)(const conv_shape* s, const conv_field* field, const conv_block* block, int64_t group,
                              int64_t tap, NAMED(spot)* spots) {
    int64_t places = conv_volume(s->out), taps = conv_volume(s->kernel), element = group * taps + tap;
    const REAL* down = (const REAL*)field->offset + element * 2 * places;
    const REAL* mask = (const REAL*)field->mask + (field->mask == NULL ? 0 : element * places);
    int64_t dy = tap / s->kernel[2] * s->dilate[1] - s->pad[1], dx = tap % s->kernel[2] * s->dilate[2] - s->pad[2];
    for (int64_t place = block->column; place < block->column_end; place++, spots++) {
        REAL y = (REAL)(place / s->out[2] * s->stride[1] + dy) + down[place];
        REAL x = (REAL)(place % s->out[2] * s->stride[2] + dx) + down[places + place];
        *spots = NAMED(find_spot)(s, field, y, x, field->mask == NULL ? 1 : mask[place]);
    }
}

static inline void NAMED(read_pixels)(const NAMED(spot)* spot, const REAL* plane, REAL* values) {
    for (int i = 0; i < 4; i++) values[i] = spot->at[i] < 0 ? 0 : plane[spot->at[i]];
}

static inline REAL NAMED(between)(const NAMED(spot)* spot, const REAL* v) {
    REAL down = spot->down, right = spot->right;
    return (1 - down) * ((1 - right) * v[0] + right * v[1]) + down * ((1 - right) * v[2] + right * v[3]);
}

/* The channels in [begin, end) that are of one group of the field, as a part of it. */
#define EACH_GROUP(field, begin, end)                                              \
    for (int64_t first = begin, group, last; first < (end); first = last)          \
        if (group = first / (field)->channels, last = (group + 1) * (field)->channels, \
            last = last < (end) ? last : (end), 1)

/* What a spot has of each of some channels, from the four pixels around it. */
static inline void NAMED(blend)(const NAMED(spot)* spot, const REAL* const* around, int64_t channels,
                                REAL* restrict values) {
    const REAL *a = around[0], *b = around[1], *c = around[2], *d = around[3];
    NAMED(spot) here = *spot; /* values cannot be part of it */
    for (int64_t i = 0; i < channels; i++) {
        REAL v[4] = {a[i], b[i], c[i], d[i]};
        values[i] = here.weight * NAMED(between)(&here, v);
    }
}

static void NAMED(sample)(const conv_shape* s, const conv_field* field, const conv_block* block, int64_t begin,
                          int64_t end, const REAL* pixels, NAMED(spot)* spots, REAL* patches) {
    int64_t taps = conv_volume(s->kernel), columns = block->column_end - block->column;
    int64_t all = s->groups * s->in_channels, taken = end - begin;
    REAL* outside = (REAL*)(spots + columns);
    memset(outside, 0, (size_t)taken * sizeof(REAL));
    EACH_GROUP(field, begin, end) for (int64_t tap = 0; tap < taps; tap++) {
        NAMED(find_spots)(s, field, block, group, tap, spots);
        for (int64_t i = 0; i < columns; i++) {
            const REAL* around[4];
            for (int at = 0; at < 4; at++) {
                around[at] = spots[i].at[at] < 0 ? outside : pixels + spots[i].at[at] * all + first;
            }
            NAMED(blend)(&spots[i], around, last - first, patches + (i * taps + tap) * taken + first - begin);
        }
    }
}

/* Add the gradient of one element that was taken to those of the four pixels. */
static inline void NAMED(add_to_pixels)(const NAMED(spot)* spot, REAL grad, REAL* plane) {
    REAL down = spot->down, right = spot->right;
    REAL part[4] = {(1 - down) * (1 - right), (1 - down) * right, down * (1 - right), down * right};
    for (int i = 0; i < 4; i++) {
        if (spot->at[i] >= 0) plane[spot->at[i]] += part[i] * grad;
    }
}

static void NAMED(unsample)(const conv_shape* s, const conv_field* field, const conv_block* block, int64_t begin,
                            int64_t end, const REAL* data, NAMED(spot)* spots, const REAL* patches,
                            const conv_moved* grads) {
    int64_t taps = conv_volume(s->kernel), plane = conv_volume(s->in), places = conv_volume(s->out);
    int64_t columns = block->column_end - block->column;
    EACH_GROUP(field, begin, end) for (int64_t tap = 0; tap < taps; tap++) {
        int64_t element = group * taps + tap;
        REAL* down = (REAL*)grads->offset + (grads->offset == NULL ? 0 : element * 2 * places + block->column);
        REAL* mask = (REAL*)grads->mask + (grads->mask == NULL ? 0 : element * places + block->column);
        NAMED(find_spots)(s, field, block, group, tap, spots);
        for (int64_t channel = first; channel < last; channel++) {
            const REAL* row = patches + ((channel - begin) * taps + tap) * columns;
            for (int64_t i = 0; i < columns; i++) {
                const NAMED(spot)* spot = &spots[i];
                REAL grad = row[i] * spot->weight, v[4];
                if (grads->data != NULL) NAMED(add_to_pixels)(spot, grad, (REAL*)grads->data + channel * plane);
                if (grads->offset == NULL && grads->mask == NULL) continue;
                NAMED(read_pixels)(spot, data + channel * plane, v);
                if (grads->mask != NULL) mask[i] += row[i] * NAMED(between)(spot, v);
                if (grads->offset == NULL) continue;
                down[i] += grad * ((1 - spot->right) * (v[2] - v[0]) + spot->right * (v[3] - v[1]));
                down[places + i] += grad * ((1 - spot->down) * (v[1] - v[0]) + spot->down * (v[3] - v[2]));
            }
        }
    }
}

#undef EACH_GROUP
