/* Which rows or columns of a picture an axis of a bin reads, and with what weights. Included once for each
 * type. */

typedef struct NAME(mark) {
    int64_t at;
    T weight;
} NAME(mark);

typedef struct NAME(marks) {
    int64_t n;
    NAME(mark)* list; /* room for one for each row or column */
} NAME(marks);

/* Samples come in ascending order, so that only the last two marks can be met again. */
static inline void NAME(add_mark)(NAME(marks)* marks, int64_t at, T weight) {
    for (int64_t i = marks->n > 2 ? marks->n - 2 : 0; i < marks->n; i++) {
        if (marks->list[i].at == at) {
            marks->list[i].weight += weight;
            return;
        }
    }
    marks->list[marks->n++] = (NAME(mark)){at, weight};
}

/* A sample between two rows. What is up to a row outside counts as the border. */
static inline void NAME(mark_sample)(NAME(marks)* marks, T place, int64_t length, T weight) {
    if (!(place >= -1 && place <= (T)length)) return;
    if (place < 0) place = 0;
    int64_t low = (int64_t)place;
    if (low >= length - 1) {
        NAME(add_mark)(marks, length - 1, weight);
        return;
    }
    T part = place - (T)low;
    NAME(add_mark)(marks, low, (1 - part) * weight);
    NAME(add_mark)(marks, low + 1, part * weight);
}

/* Which of `count` samples, from `start` on and `step` apart, may lie from `low` to `high`. Boxes may have any
 * coordinates and so any number of samples, but few of them are in the picture. */
static inline void NAME(span)(double start, double step, double low, double high, int64_t count, int64_t* first,
                              int64_t* last) {
    double begin = (low - start) / step - 2, end = (high - start) / step + 2;
    *first = begin > 0 ? (begin < (double)count ? (int64_t)begin : count) : 0;
    *last = end < (double)count ? (end > 0 ? (int64_t)end : 0) : count;
}

/* A box along an axis: where its first bin begins, how long a bin is, and how many samples it has. */
typedef struct NAME(axis) {
    T start, bin;
    int64_t samples;
} NAME(axis);

static inline int NAME(is_somewhere)(NAME(axis) axis) {
    return axis.start - axis.start == 0 && axis.bin - axis.bin == 0;
}

/* As many samples as are asked for; else one for each pixel of a bin. */
static inline int64_t NAME(samples_of)(int64_t asked, T bin) {
    if (asked > 0) return asked;
    if (!(bin > 1)) return 1;
    return bin < (T)(1 << 30) ? (int64_t)bin + ((T)(int64_t)bin < bin) : 1 << 30;
}
