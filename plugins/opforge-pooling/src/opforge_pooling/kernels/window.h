/* Geometry of the windows, computed once for each combination of shapes and attributes. */
#ifndef POOLING_WINDOW_H
#define POOLING_WINDOW_H

#include <opforge/abi.h>

enum { MAXIMUM, SUM }; /* kinds; averages and p-norms are sums with a step before and after */
enum { DEPTH, HEIGHT, WIDTH };

/* One of three axes; axes that the data lacks have length 1. `pad` is the padding before the first element. */
typedef struct axis {
    int64_t in, out, window, stride, pad;
    int64_t* divisors; /* for each output, the number of elements that an average divides by */
} axis;

typedef struct plan {
    axis axes[3];
    int64_t planes;   /* images times channels or channel blocks; with channels last, images */
    int64_t inner;    /* 1; with channels last, the channels, in blocks those of a block */
    int64_t in_size;  /* elements of a plane, without `inner` */
    int64_t out_size;
    int64_t taps;     /* elements of a window */
    int kind, average, power;
    int global;       /* one window covers the whole plane */
    int pairs;        /* adjacent 2x2 windows without padding: pairs.h */
    int64_t* offsets; /* for each element of a window, its offset from the start of the window */
    int zero_padding; /* Pooling_v1: padding counts in maxima, as zeros */
    double lowest;    /* the maximum of an empty window */
} plan;

typedef struct range {
    int64_t begin, end;
} range;

static inline int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

/* a / b rounded up; 0 if a is negative. */
static inline int64_t ceil_div(int64_t a, int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; }

/* The elements of the axis in the window of an output. */
static inline range window_range(const axis* a, int64_t output) {
    int64_t begin = output * a->stride - a->pad;
    return (range){max64(begin, 0), max64(max64(begin, 0), min64(begin + a->window, a->in))};
}

/* The outputs whose windows contain an element of the axis. */
static inline range output_range(const axis* a, int64_t element) {
    int64_t end = min64((element + a->pad) / a->stride + 1, a->out);
    int64_t begin = min64(ceil_div(element + a->pad - a->window + 1, a->stride), end);
    return (range){begin, end};
}

/* The index of an element of the axis within the window of an output. */
static inline int64_t tap_index(const axis* a, int64_t output, int64_t element) {
    return element - output * a->stride + a->pad;
}

/* The elements of a window, and the tap of the first one, along each axis. */
typedef struct span {
    range axes[3];
    int64_t first[3];
} span;

/* Set an axis of the span of an output. */
static inline void set_span(const plan* p, span* s, int i, int64_t output) {
    s->axes[i] = window_range(&p->axes[i], output);
    s->first[i] = tap_index(&p->axes[i], output, s->axes[i].begin);
}

#endif
