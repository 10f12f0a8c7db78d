/* Windows that slide over one to three axes of (n, channels, ...) arrays, or of blocked ones: (n, 1, ..., channels). */
#ifndef OPFORGE_QUANTIZED_WINDOW_H
#define OPFORGE_QUANTIZED_WINDOW_H

#include <opforge/abi.h>

enum { DEPTH, HEIGHT, WIDTH, AXES };

/* Missing leading axes have length 1. */
typedef struct window {
    int64_t in[AXES], out[AXES], kernel[AXES], stride[AXES], dilate[AXES], pad[AXES];
} window;

/* Elements that lie within the data: taps [begin, end), of which the first reads position `at`. */
typedef struct taps {
    int64_t begin, end, at;
} taps;

static inline int64_t volume_of(const int64_t* lengths) { return lengths[DEPTH] * lengths[HEIGHT] * lengths[WIDTH]; }

static inline taps taps_at(const window* w, int axis, int64_t output) {
    int64_t first = output * w->stride[axis] - w->pad[axis], dilate = w->dilate[axis], in = w->in[axis];
    int64_t begin = first < 0 ? (-first + dilate - 1) / dilate : 0;
    int64_t end = first < in ? (in - first + dilate - 1) / dilate : 0;
    if (begin > w->kernel[axis]) begin = w->kernel[axis];
    if (end > w->kernel[axis]) end = w->kernel[axis];
    return (taps){begin, end < begin ? begin : end, first + begin * dilate};
}

/* The number of an attribute for a spatial axis; `other` for () or without the attribute. */
int64_t number_for(const opforge_call* call, const char* name, int64_t at, int64_t other);

/* Read the window from the attributes of a call, for its first input and output. */
window read_window(const opforge_call* call);

#endif
