/* Weights of the rows or columns of an image that a bin reads along an axis. Included once per type. */

typedef struct NAME(axis_tap) {
    int64_t index;
    T weight;
} NAME(axis_tap);

typedef struct NAME(axis_taps) {
    int64_t n;
    NAME(axis_tap)* items; /* capacity: one per row or column */
} NAME(axis_taps);

/* Samples come in ascending order, so only the last two taps can recur. */
static inline void NAME(add_axis_tap)(NAME(axis_taps)* axis_taps, int64_t index, T weight) {
    for (int64_t i = axis_taps->n > 2 ? axis_taps->n - 2 : 0; i < axis_taps->n; i++) {
        if (axis_taps->items[i].index == index) {
            axis_taps->items[i].weight += weight;
            return;
        }
    }
    axis_taps->items[axis_taps->n++] = (NAME(axis_tap)){index, weight};
}

/* Add an interpolated sample. Positions up to one pixel outside the image use the border pixel. */
static inline void NAME(add_sample)(NAME(axis_taps)* axis_taps, T position, int64_t length, T weight) {
    if (!(position >= -1 && position <= (T)length)) return;
    if (position < 0) position = 0;
    int64_t low = (int64_t)position;
    if (low >= length - 1) {
        NAME(add_axis_tap)(axis_taps, length - 1, weight);
        return;
    }
    T part = position - (T)low;
    NAME(add_axis_tap)(axis_taps, low, (1 - part) * weight);
    NAME(add_axis_tap)(axis_taps, low + 1, part * weight);
}

/* Find the range of `count` samples, from `start` in steps of `step`, that may be in [low, high]. Boxes may have any
 * coordinates and thus any number of samples, but few of them are in the image. */
static inline void NAME(span)(double start, double step, double low, double high, int64_t count, int64_t* first,
                              int64_t* last) {
    double begin = (low - start) / step - 2, end = (high - start) / step + 2;
    *first = begin > 0 ? (begin < (double)count ? (int64_t)begin : count) : 0;
    *last = end < (double)count ? (end > 0 ? (int64_t)end : 0) : count;
}

/* Extent of a box along an axis: start of the first bin, size of a bin, samples per bin. */
typedef struct NAME(axis) {
    T start, bin;
    int64_t samples;
} NAME(axis);

static inline int NAME(is_finite)(NAME(axis) axis) {
    return axis.start - axis.start == 0 && axis.bin - axis.bin == 0;
}

/* Return the number of samples: `asked` if positive, otherwise one per pixel of a bin. */
static inline int64_t NAME(samples_of)(int64_t asked, T bin) {
    if (asked > 0) return asked;
    if (!(bin > 1)) return 1;
    return bin < (T)(1 << 30) ? (int64_t)bin + ((T)(int64_t)bin < bin) : 1 << 30;
}
