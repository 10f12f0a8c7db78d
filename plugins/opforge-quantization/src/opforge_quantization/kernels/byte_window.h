/* Windows of images of bytes whose channels are adjacent: (image, row, column, channel). */
#ifndef OPFORGE_QUANTIZATION_BYTE_WINDOW_H
#define OPFORGE_QUANTIZATION_BYTE_WINDOW_H

#include <stdint.h>

typedef struct byte_window {
    const uint8_t* data;
    const uint8_t* outside; /* a pixel of padding: zeros */
    int64_t channels;       /* bytes between pixels */
    int64_t height, width, out_height, out_width;
    int64_t kernel[2], stride[2], dilate[2], pad[2];
} byte_window;

static inline int64_t window_taps_count(const byte_window* w) { return w->kernel[0] * w->kernel[1]; }

/* Store the addresses of the pixels under the window of one result, counted over all images. */
static inline void window_taps(const byte_window* w, int64_t result, const uint8_t** taps) {
    const int64_t x = result % w->out_width, line = result / w->out_width;
    const int64_t y = line % w->out_height, image = line / w->out_height;
    const uint8_t* data = w->data + image * w->height * w->width * w->channels;
    for (int64_t i = 0; i < w->kernel[0]; i++) {
        const int64_t row = y * w->stride[0] + i * w->dilate[0] - w->pad[0];
        const int is_inside = row >= 0 && row < w->height;
        for (int64_t j = 0; j < w->kernel[1]; j++) {
            const int64_t column = x * w->stride[1] + j * w->dilate[1] - w->pad[1];
            *taps++ = is_inside && column >= 0 && column < w->width ? data + (row * w->width + column) * w->channels
                                                                    : w->outside;
        }
    }
}

/* The results [first, last) along an axis of `size` pixels whose windows have no padding. */
static inline void complete_windows(const byte_window* w, int axis, int64_t size, int64_t* first, int64_t* last) {
    const int64_t stride = w->stride[axis], pad = w->pad[axis];
    const int64_t end = size + pad - (w->kernel[axis] - 1) * w->dilate[axis]; /* starts below this are complete */
    *first = (pad + stride - 1) / stride;
    *last = end > 0 ? (end + stride - 1) / stride : 0;
}

#endif
