/* The pixels of a bin with their weights, for each kind of box. Included once for each type. */

/* What a worker has for itself. */
typedef struct NAME(desk) {
    NAME(taps) taps;
    NAME(marks) rows, columns;
    T* values;
} NAME(desk);

/* One bin of one class of a box. */
typedef struct NAME(bin) {
    const T* box; /* its row of `rois` */
    int64_t number, class_index, y, x;
} NAME(bin);

/* -- averages of samples, evenly spread ------------------------------------------------------------------------ */

static NAME(axis) NAME(aligned_axis)(const regions* r, T low, T high, int64_t bins) {
    T scale = (T)r->scale, shift = r->is_centered ? (T)0.5 : 0, start = low * scale - shift;
    T size = high * scale - shift - start;
    if (!r->is_centered && size < 1) size = 1;
    T bin = size / (T)bins;
    return (NAME(axis)){start, bin, NAME(samples_of)(r->samples, bin)};
}

static void NAME(mark_samples)(NAME(axis) axis, int64_t bin, int64_t length, NAME(marks)* marks) {
    T start = axis.start + (T)bin * axis.bin, samples = (T)axis.samples;
    int64_t first, last;
    NAME(span)((double)start, (double)(axis.bin / samples), -1, (double)length, axis.samples, &first, &last);
    marks->n = 0;
    for (int64_t i = first; i < last; i++) {
        NAME(mark_sample)(marks, start + ((T)i + (T)0.5) * axis.bin / samples, length, 1 / samples);
    }
}

static void NAME(add_aligned)(const regions* r, const NAME(bin)* bin, NAME(desk)* desk) {
    NAME(axis) down = NAME(aligned_axis)(r, bin->box[2], bin->box[4], r->bins_y);
    NAME(axis) right = NAME(aligned_axis)(r, bin->box[1], bin->box[3], r->bins_x);
    if (!NAME(is_somewhere)(down) || !NAME(is_somewhere)(right)) return;
    NAME(mark_samples)(down, bin->y, r->height, &desk->rows);
    NAME(mark_samples)(right, bin->x, r->width, &desk->columns);
    NAME(add_product)(&desk->taps, &desk->rows, &desk->columns, r->width);
}

/* -- the same of boxes that are turned around their middle -------------------------------------------------------- */

static NAME(axis) NAME(turned_axis)(const regions* r, T size, int64_t bins) {
    T scaled = size * (T)r->scale, length = scaled < 1 ? 1 : scaled, bin = length / (T)bins;
    return (NAME(axis)){-length / 2, bin, NAME(samples_of)(r->samples, bin)};
}

/* Samples of a bin that may be in the picture, whose corners are from `low` to `high` along the box's axis. */
static void NAME(turned_span)(NAME(axis) axis, int64_t bin, double low, double high, int64_t* first, int64_t* last) {
    double start = (double)axis.start + (double)bin * (double)axis.bin;
    NAME(span)(start, (double)axis.bin / (double)axis.samples, low, high, axis.samples, first, last);
}

static void NAME(add_rotated)(const regions* r, const NAME(bin)* bin, NAME(desk)* desk) {
    T scale = (T)r->scale, middle_x = bin->box[1] * scale, middle_y = bin->box[2] * scale;
    T angle = (T)((double)bin->box[5] * 3.14159265358979323846 / 180.0);
    T cosine = (T)cos((double)angle), sine = (T)sin((double)angle);
    NAME(axis) right = NAME(turned_axis)(r, bin->box[3], r->bins_x), down = NAME(turned_axis)(r, bin->box[4], r->bins_y);
    T all = middle_x + middle_y + cosine;
    if (all - all != 0 || !NAME(is_somewhere)(down) || !NAME(is_somewhere)(right)) return;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int corner = 0; corner < 4; corner++) {
        double x = (corner & 1 ? (double)r->width : -1) - (double)middle_x;
        double y = (corner & 2 ? (double)r->height : -1) - (double)middle_y;
        double place[2] = {x * (double)cosine - y * (double)sine, x * (double)sine + y * (double)cosine};
        for (int axis = 0; axis < 2; axis++) {
            low[axis] = fmin(low[axis], place[axis]);
            high[axis] = fmax(high[axis], place[axis]);
        }
    }
    int64_t row, last_row, column, first_column, last_column;
    NAME(turned_span)(right, bin->x, low[0], high[0], &first_column, &last_column);
    NAME(turned_span)(down, bin->y, low[1], high[1], &row, &last_row);
    for (; row < last_row; row++) {
        T y = down.start + (T)bin->y * down.bin + ((T)row + (T)0.5) * down.bin / (T)down.samples;
        for (column = first_column; column < last_column; column++) {
            T x = right.start + (T)bin->x * right.bin + ((T)column + (T)0.5) * right.bin / (T)right.samples;
            desk->rows.n = desk->columns.n = 0;
            NAME(mark_sample)(&desk->columns, x * cosine + y * sine + middle_x, r->width, 1 / (T)right.samples);
            NAME(mark_sample)(&desk->rows, y * cosine - x * sine + middle_y, r->height, 1 / (T)down.samples);
            NAME(add_product)(&desk->taps, &desk->rows, &desk->columns, r->width);
        }
    }
}

/* -- averages of whole pixels -------------------------------------------------------------------------------------- */

/* An axis of a box whose corners are whole numbers, and belong to it. */
static NAME(axis) NAME(whole_axis)(const regions* r, T low, T high, int64_t bins, T shift) {
    T scale = (T)r->scale, start = (T)round((double)low) * scale - shift;
    T size = (T)(round((double)high) + 1) * scale - shift - start;
    if (size < (T)0.1) size = (T)0.1;
    return (NAME(axis)){start, size / (T)bins, r->samples};
}

static void NAME(mark_pixels)(NAME(axis) axis, int64_t bin, int64_t length, NAME(marks)* marks) {
    double begin = floor((double)((T)bin * axis.bin + axis.start));
    double end = ceil((double)((T)(bin + 1) * axis.bin + axis.start));
    int64_t first = begin > 0 ? (int64_t)fmin(begin, (double)length) : 0;
    int64_t last = end > 0 ? (int64_t)fmin(end, (double)length) : 0;
    marks->n = 0;
    for (int64_t at = first; at < last; at++) NAME(add_mark)(marks, at, 1 / (T)(last - first));
}

static void NAME(add_averaged)(const regions* r, const NAME(bin)* bin, NAME(desk)* desk) {
    NAME(axis) down = NAME(whole_axis)(r, bin->box[2], bin->box[4], r->bins_y, 0);
    NAME(axis) right = NAME(whole_axis)(r, bin->box[1], bin->box[3], r->bins_x, 0);
    if (!NAME(is_somewhere)(down) || !NAME(is_somewhere)(right)) return;
    NAME(mark_pixels)(down, bin->y, r->height, &desk->rows);
    NAME(mark_pixels)(right, bin->x, r->width, &desk->columns);
    NAME(add_product)(&desk->taps, &desk->rows, &desk->columns, r->width);
}

/* -- averages of samples in bins that move -------------------------------------------------------------------------- */

/* Which number of `trans` moves a bin along an axis: 0 to the right, 1 down. */
static int64_t NAME(move_at)(const regions* r, const NAME(bin)* bin, int axis) {
    int64_t y = (int64_t)((T)bin->y / (T)r->bins_y * (T)r->moves);
    int64_t x = (int64_t)((T)bin->x / (T)r->bins_x * (T)r->moves);
    return (((bin->number * r->classes + bin->class_index) * 2 + axis) * r->moves + y) * r->moves + x;
}

static T NAME(move_of)(const regions* r, const NAME(bin)* bin, int axis) {
    return r->moves == 0 ? 0 : ((const T*)r->trans)[NAME(move_at)(r, bin, axis)] * (T)r->move_scale;
}

/* The pixels of an axis of a bin; with `slope`, how much a sample there changes with its place. */
static void NAME(mark_moved)(NAME(axis) axis, int64_t bin, int64_t bins, T move, int64_t length, int slope,
                             NAME(marks)* marks) {
    T start = (T)bin * axis.bin + axis.start + move * (axis.bin * (T)bins), step = axis.bin / (T)axis.samples;
    int64_t first, last, count = 0;
    NAME(span)((double)start, (double)step, -1, (double)length, axis.samples, &first, &last);
    marks->n = 0;
    for (int64_t i = first; i < last; i++) {
        T place = start + (T)i * step;
        if (!(place >= (T)-0.5 && place <= (T)length - (T)0.5)) continue;
        T inside = place < 0 ? 0 : place > (T)(length - 1) ? (T)(length - 1) : place;
        int64_t low = (int64_t)inside, high = low + (inside > (T)low);
        T part = inside - (T)low;
        NAME(add_mark)(marks, low, slope ? -1 : 1 - part);
        NAME(add_mark)(marks, high, slope ? 1 : part);
        count++;
    }
    for (int64_t i = 0; i < marks->n; i++) marks->list[i].weight /= (T)count;
}

/* `slope`: -1, or the axis along which the gradient is. */
static void NAME(add_deformed)(const regions* r, const NAME(bin)* bin, int slope, NAME(desk)* desk) {
    NAME(axis) down = NAME(whole_axis)(r, bin->box[2], bin->box[4], r->bins_y, (T)0.5);
    NAME(axis) right = NAME(whole_axis)(r, bin->box[1], bin->box[3], r->bins_x, (T)0.5);
    T by_x = NAME(move_of)(r, bin, 0), by_y = NAME(move_of)(r, bin, 1);
    if (!NAME(is_somewhere)(down) || !NAME(is_somewhere)(right) || by_x - by_x != 0 || by_y - by_y != 0) return;
    NAME(mark_moved)(down, bin->y, r->bins_y, by_y, r->height, slope == 1, &desk->rows);
    NAME(mark_moved)(right, bin->x, r->bins_x, by_x, r->width, slope == 0, &desk->columns);
    NAME(add_product)(&desk->taps, &desk->rows, &desk->columns, r->width);
}

static void NAME(add_bin)(const regions* r, const NAME(bin)* bin, NAME(desk)* desk) {
    switch (r->kind) {
    case ALIGNED: NAME(add_aligned)(r, bin, desk); break;
    case ROTATED: NAME(add_rotated)(r, bin, desk); break;
    case AVERAGED: NAME(add_averaged)(r, bin, desk); break;
    default: NAME(add_deformed)(r, bin, -1, desk);
    }
    NAME(flush)(&desk->taps);
}
