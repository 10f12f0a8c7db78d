/* What a window is and where it slides: sizes that are worked out once for each combination of shapes
 * and attributes. */
#ifndef POOLING_WINDOW_H
#define POOLING_WINDOW_H

#include <opforge/abi.h>

enum { MAXIMUM, SUM }; /* kinds; averages and p-norms are sums with something before and after */
enum { DEPTH, HEIGHT, WIDTH };

/* One of three axes; those that the data has not are of length 1. `pad` is before the first element. */
typedef struct axis {
    int64_t in, out, window, stride, pad;
    int64_t* counts; /* for each output, how many elements an average divides by */
} axis;

typedef struct plan {
    axis axes[3];
    int64_t planes;   /* images times channels, or groups of them; with channels last, images */
    int64_t inner;    /* 1; with channels last, channels or those of a group */
    int64_t in_size;  /* elements of a plane, without `inner` */
    int64_t out_size;
    int64_t taps;     /* elements of a window */
    int kind, average, power;
    int whole;        /* one window, and it holds the plane: nothing slides */
    int pairs;        /* windows of 2x2 that lie side by side, all inside: pairs.h */
    int64_t* offsets; /* for each element of a window, its distance from the window's begin */
    int zeros;        /* of Pooling_v1: padding counts in maxima, as zeros */
    double lowest;    /* what a maximum is of nothing */
} plan;

typedef struct range {
    int64_t begin, end;
} range;

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* a / b upwards, 0 where a is negative. */
static inline int64_t ceiling(int64_t a, int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; }

/* The elements of the axis under the window of an output. */
static inline range covered(const axis* a, int64_t output) {
    int64_t begin = output * a->stride - a->pad;
    return (range){most(begin, 0), most(most(begin, 0), least(begin + a->window, a->in))};
}

/* The outputs whose windows hold an element of the axis. */
static inline range covering(const axis* a, int64_t element) {
    int64_t end = least((element + a->pad) / a->stride + 1, a->out);
    int64_t begin = least(ceiling(element + a->pad - a->window + 1, a->stride), end);
    return (range){begin, end};
}

/* Where the elements of a window stand in it: `k` of its first axis begins a row of numbers. */
static inline int64_t place(const axis* a, int64_t output, int64_t element) {
    return element - output * a->stride + a->pad;
}

#endif
