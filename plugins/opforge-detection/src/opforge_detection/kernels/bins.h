/* Computation of the weighted pixels of a bin, for each kind of box. Included once per type. */
#include "taps.h"

/* Buffers of a worker. */
typedef struct NAME(buffers) {
    NAME(taps) taps;
    NAME(axis_taps) rows, columns;
    T* values;
} NAME(buffers);

/* A bin of a class of a box. */
typedef struct NAME(bin) {
    const T* box; /* its row of `rois` */
    int64_t number, class_index, y, x;
} NAME(bin);

/* -- averages of evenly spaced samples --------------------------------------------------------------------------- */

static NAME(axis) NAME(aligned_axis)(const regions* r, T low, T high, int64_t bins) {
    T scale = (T)r->scale, shift = r->is_centered ? (T)0.5 : 0, start = low * scale - shift;
    T size = high * scale - shift - start;
    if (!r->is_centered && size < 1) size = 1;
    T bin = size / (T)bins;
    return (NAME(axis)){start, bin, NAME(samples_of)(r->samples, bin)};
}

static void NAME(add_samples)(NAME(axis) axis, int64_t bin, int64_t length, NAME(axis_taps)* axis_taps) {
    T start = axis.start + (T)bin * axis.bin, samples = (T)axis.samples;
    int64_t first, last;
    NAME(span)((double)start, (double)(axis.bin / samples), -1, (double)length, axis.samples, &first, &last);
    axis_taps->n = 0;
    for (int64_t i = first; i < last; i++) {
        NAME(add_sample)(axis_taps, start + ((T)i + (T)0.5) * axis.bin / samples, length, 1 / samples);
    }
}

static void NAME(add_aligned)(const regions* r, const NAME(bin)* bin, NAME(buffers)* buffers) {
    NAME(axis) down = NAME(aligned_axis)(r, bin->box[2], bin->box[4], r->bins_y);
    NAME(axis) right = NAME(aligned_axis)(r, bin->box[1], bin->box[3], r->bins_x);
    if (!NAME(is_finite)(down) || !NAME(is_finite)(right)) return;
    NAME(add_samples)(down, bin->y, r->height, &buffers->rows);
    NAME(add_samples)(right, bin->x, r->width, &buffers->columns);
    NAME(add_product)(&buffers->taps, &buffers->rows, &buffers->columns, r->width);
}

/* -- averages of samples of boxes rotated around their center ---------------------------------------------------- */

static NAME(axis) NAME(rotated_axis)(const regions* r, T size, int64_t bins) {
    T scaled = size * (T)r->scale, length = scaled < 1 ? 1 : scaled, bin = length / (T)bins;
    return (NAME(axis)){-length / 2, bin, NAME(samples_of)(r->samples, bin)};
}

/* Find the samples of a bin that may be in the image, which extends from `low` to `high` along the box's axis. */
static void NAME(rotated_span)(NAME(axis) axis, int64_t bin, double low, double high, int64_t* first, int64_t* last) {
    double start = (double)axis.start + (double)bin * (double)axis.bin;
    NAME(span)(start, (double)axis.bin / (double)axis.samples, low, high, axis.samples, first, last);
}

static void NAME(add_rotated)(const regions* r, const NAME(bin)* bin, NAME(buffers)* buffers) {
    T scale = (T)r->scale, middle_x = bin->box[1] * scale, middle_y = bin->box[2] * scale;
    T angle = (T)((double)bin->box[5] * 3.14159265358979323846 / 180.0);
    T cosine = (T)cos((double)angle), sine = (T)sin((double)angle);
    NAME(axis) right = NAME(rotated_axis)(r, bin->box[3], r->bins_x);
    NAME(axis) down = NAME(rotated_axis)(r, bin->box[4], r->bins_y);
    T all = middle_x + middle_y + cosine;
    if (all - all != 0 || !NAME(is_finite)(down) || !NAME(is_finite)(right)) return;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int corner = 0; corner < 4; corner++) {
        double x = (corner & 1 ? (double)r->width : -1) - (double)middle_x;
        double y = (corner & 2 ? (double)r->height : -1) - (double)middle_y;
        double position[2] = {x * (double)cosine - y * (double)sine, x * (double)sine + y * (double)cosine};
        for (int axis = 0; axis < 2; axis++) {
            low[axis] = fmin(low[axis], position[axis]);
            high[axis] = fmax(high[axis], position[axis]);
        }
    }
    int64_t row, last_row, column, first_column, last_column;
    NAME(rotated_span)(right, bin->x, low[0], high[0], &first_column, &last_column);
    NAME(rotated_span)(down, bin->y, low[1], high[1], &row, &last_row);
    for (; row < last_row; row++) {
        T y = down.start + (T)bin->y * down.bin + ((T)row + (T)0.5) * down.bin / (T)down.samples;
        for (column = first_column; column < last_column; column++) {
            T x = right.start + (T)bin->x * right.bin + ((T)column + (T)0.5) * right.bin / (T)right.samples;
            buffers->rows.n = buffers->columns.n = 0;
            NAME(add_sample)(&buffers->columns, x * cosine + y * sine + middle_x, r->width, 1 / (T)right.samples);
            NAME(add_sample)(&buffers->rows, y * cosine - x * sine + middle_y, r->height, 1 / (T)down.samples);
            NAME(add_product)(&buffers->taps, &buffers->rows, &buffers->columns, r->width);
        }
    }
}

/* -- averages of whole pixels -------------------------------------------------------------------------------------- */

/* Axis of a box whose corners are rounded to pixels that belong to it. */
static NAME(axis) NAME(inclusive_axis)(const regions* r, T low, T high, int64_t bins, T shift) {
    T scale = (T)r->scale, start = (T)round((double)low) * scale - shift;
    T size = (T)(round((double)high) + 1) * scale - shift - start;
    if (size < (T)0.1) size = (T)0.1;
    return (NAME(axis)){start, size / (T)bins, r->samples};
}

static void NAME(add_pixels)(NAME(axis) axis, int64_t bin, int64_t length, NAME(axis_taps)* axis_taps) {
    double begin = floor((double)((T)bin * axis.bin + axis.start));
    double end = ceil((double)((T)(bin + 1) * axis.bin + axis.start));
    int64_t first = begin > 0 ? (int64_t)fmin(begin, (double)length) : 0;
    int64_t last = end > 0 ? (int64_t)fmin(end, (double)length) : 0;
    axis_taps->n = 0;
    for (int64_t at = first; at < last; at++) NAME(add_axis_tap)(axis_taps, at, 1 / (T)(last - first));
}

static void NAME(add_averaged)(const regions* r, const NAME(bin)* bin, NAME(buffers)* buffers) {
    NAME(axis) down = NAME(inclusive_axis)(r, bin->box[2], bin->box[4], r->bins_y, 0);
    NAME(axis) right = NAME(inclusive_axis)(r, bin->box[1], bin->box[3], r->bins_x, 0);
    if (!NAME(is_finite)(down) || !NAME(is_finite)(right)) return;
    NAME(add_pixels)(down, bin->y, r->height, &buffers->rows);
    NAME(add_pixels)(right, bin->x, r->width, &buffers->columns);
    NAME(add_product)(&buffers->taps, &buffers->rows, &buffers->columns, r->width);
}

/* -- averages of samples in bins with learned offsets ------------------------------------------------------------ */

/* Return the index in `trans` of the offset of a bin along an axis: 0 for x, 1 for y. */
static int64_t NAME(offset_index)(const regions* r, const NAME(bin)* bin, int axis) {
    int64_t y = (int64_t)((T)bin->y / (T)r->bins_y * (T)r->offsets);
    int64_t x = (int64_t)((T)bin->x / (T)r->bins_x * (T)r->offsets);
    return (((bin->number * r->classes + bin->class_index) * 2 + axis) * r->offsets + y) * r->offsets + x;
}

static T NAME(offset_of)(const regions* r, const NAME(bin)* bin, int axis) {
    return r->offsets == 0 ? 0 : ((const T*)r->trans)[NAME(offset_index)(r, bin, axis)] * (T)r->offset_scale;
}

/* Add the taps of a bin along an axis; with `slope`, those of the derivative with respect to the position. */
static void NAME(add_moved_samples)(NAME(axis) axis, int64_t bin, int64_t bins, T offset, int64_t length, int slope,
                             NAME(axis_taps)* axis_taps) {
    T start = (T)bin * axis.bin + axis.start + offset * (axis.bin * (T)bins), step = axis.bin / (T)axis.samples;
    int64_t first, last, count = 0;
    NAME(span)((double)start, (double)step, -1, (double)length, axis.samples, &first, &last);
    axis_taps->n = 0;
    for (int64_t i = first; i < last; i++) {
        T position = start + (T)i * step;
        if (!(position >= (T)-0.5 && position <= (T)length - (T)0.5)) continue;
        T inside = position < 0 ? 0 : position > (T)(length - 1) ? (T)(length - 1) : position;
        int64_t low = (int64_t)inside, high = low + (inside > (T)low);
        T part = inside - (T)low;
        NAME(add_axis_tap)(axis_taps, low, slope ? -1 : 1 - part);
        NAME(add_axis_tap)(axis_taps, high, slope ? 1 : part);
        count++;
    }
    for (int64_t i = 0; i < axis_taps->n; i++) axis_taps->items[i].weight /= (T)count;
}

/* `slope`: axis of the derivative, or -1 for the value. */
static void NAME(add_deformed)(const regions* r, const NAME(bin)* bin, int slope, NAME(buffers)* buffers) {
    NAME(axis) down = NAME(inclusive_axis)(r, bin->box[2], bin->box[4], r->bins_y, (T)0.5);
    NAME(axis) right = NAME(inclusive_axis)(r, bin->box[1], bin->box[3], r->bins_x, (T)0.5);
    T offset_x = NAME(offset_of)(r, bin, 0), offset_y = NAME(offset_of)(r, bin, 1);
    if (!NAME(is_finite)(down) || !NAME(is_finite)(right)) return;
    if (offset_x - offset_x != 0 || offset_y - offset_y != 0) return;
    NAME(add_moved_samples)(down, bin->y, r->bins_y, offset_y, r->height, slope == 1, &buffers->rows);
    NAME(add_moved_samples)(right, bin->x, r->bins_x, offset_x, r->width, slope == 0, &buffers->columns);
    NAME(add_product)(&buffers->taps, &buffers->rows, &buffers->columns, r->width);
}

static void NAME(add_bin)(const regions* r, const NAME(bin)* bin, NAME(buffers)* buffers) {
    switch (r->kind) {
    case ALIGNED: NAME(add_aligned)(r, bin, buffers); break;
    case ROTATED: NAME(add_rotated)(r, bin, buffers); break;
    case AVERAGED: NAME(add_averaged)(r, bin, buffers); break;
    default: NAME(add_deformed)(r, bin, -1, buffers);
    }
    NAME(flush)(&buffers->taps);
}
