#include "kernels/byte_convolution.h"

#include "kernels/byte_vectors.h"
#include "opforge/tile.h"

/* Gathered rows fill half of an L2 cache at most, but at least some tiles, so that panels are read a few times only. */
enum { BLOCK_BYTES = 1 << 18, MIN_ROWS = 24, MAX_ROWS = 96, UNITS_PER_THREAD = 4 };

static int64_t row_bytes(const byte_convolution* c) { return c->product.depth * GROUP; }

/* Whether pixels are the rows of the product. */
static int reads_in_place(const byte_convolution* c) {
    const byte_window* w = &c->window;
    return window_taps_count(w) == 1 && !c->is_signed && c->groups == 1 && w->channels % GROUP == 0 &&
           w->height == w->out_height && w->width == w->out_width && w->stride[0] == 1 && w->stride[1] == 1;
}

byte_division byte_convolution_divide(const byte_convolution* c, int64_t results, int64_t threads) {
    const int64_t panels = byte_panel_count(c->product.columns);
    int64_t rows = BLOCK_BYTES / row_bytes(c);
    rows = rows < MIN_ROWS ? MIN_ROWS : rows > MAX_ROWS ? MAX_ROWS : rows;
    byte_division d = {results, rows, (results + rows - 1) / rows, 1};
    /* Each part of the panels gathers all rows; each block reads all panels. */
    if (d.blocks < UNITS_PER_THREAD * threads) {
        const int64_t missing = (UNITS_PER_THREAD * threads + d.blocks - 1) / d.blocks;
        d.parts = missing < panels ? missing : panels;
    }
    return d;
}

int64_t byte_convolution_scratch(const byte_convolution* c, const byte_division* d) {
    return reads_in_place(c) ? 0 : d->rows * row_bytes(c);
}

typedef uint8_t loose_bytes __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t loose_word __attribute__((aligned(1), may_alias));

/* Copy bytes, and add 128 to signed ones. A few bytes, as of a row of three channels, need no call; their last vector
 * overlaps the one before it. */
OF_INLINE void copy_bytes(uint8_t* to, const uint8_t* from, int64_t n, uint8_t flip) {
    if (!flip && n > 64) {
        memcpy(to, from, (size_t)n);
    } else if (n >= 16) {
        for (int64_t i = 0; i < n - 16; i += 16) *(loose_bytes*)(to + i) = *(const loose_bytes*)(from + i) ^ flip;
        *(loose_bytes*)(to + n - 16) = *(const loose_bytes*)(from + n - 16) ^ flip;
    } else if (n >= 8) {
        const uint64_t flips = flip * 0x0101010101010101u, last = *(const loose_word*)(from + n - 8) ^ flips;
        *(loose_word*)to = *(const loose_word*)from ^ flips;
        *(loose_word*)(to + n - 8) = last;
    } else {
        for (int64_t i = 0; i < n; i++) to[i] = from[i] ^ flip;
    }
}

static int64_t between(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }

/* Copy the pixels of a row of the image that a row of the window covers, from column `x` on; padding is zero. */
static void gather_row(const byte_window* w, const uint8_t* line, int64_t x, int64_t channels, uint8_t flip,
                       uint8_t* to) {
    const int64_t taps = w->kernel[1], step = w->dilate[1];
    const int64_t first = between((step - 1 - x) / step, 0, taps);
    const int64_t last = x < w->width ? between((w->width - 1 - x) / step + 1, first, taps) : first;
    if (first > 0) memset(to, flip, (size_t)(first * channels));
    if (step == 1 && channels == w->channels) {
        copy_bytes(to + first * channels, line + (x + first) * channels, (last - first) * channels, flip);
    } else {
        for (int64_t tap = first; tap < last; tap++) {
            copy_bytes(to + tap * channels, line + (x + tap * step) * w->channels, channels, flip);
        }
    }
    if (last < taps) memset(to + last * channels, flip, (size_t)((taps - last) * channels));
}

/* Copy the windows of the results [begin, end) of a group, whose first channel is `channel`. */
static void gather(const byte_convolution* c, int64_t channel, int64_t begin, int64_t end, uint8_t* rows) {
    const byte_window* w = &c->window;
    const int64_t channels = w->channels / c->groups, step = row_bytes(c), size = w->kernel[1] * channels;
    const uint8_t flip = c->is_signed ? 0x80 : 0;
    for (int64_t result = begin; result < end; result++, rows += step) {
        const int64_t x = result % w->out_width * w->stride[1] - w->pad[1], line = result / w->out_width;
        const int64_t y = line % w->out_height * w->stride[0] - w->pad[0], image = line / w->out_height;
        uint8_t* to = rows;
        for (int64_t i = 0; i < w->kernel[0]; i++, to += size) {
            const int64_t row = y + i * w->dilate[0];
            if (row < 0 || row >= w->height) {
                memset(to, flip, (size_t)size);
            } else {
                const uint8_t* from = w->data + (image * w->height + row) * w->width * w->channels + channel;
                gather_row(w, from, x, channels, flip, to);
            }
        }
        memset(to, 0, (size_t)(rows + step - to)); /* times weights of zero */
    }
}

static void run_unit(const byte_convolution* c, const byte_division* d, int64_t unit, uint8_t* scratch) {
    const int64_t panels = byte_panel_count(c->product.columns), part = unit % d->parts;
    const int64_t begin = unit / d->parts * d->rows, left = d->results - begin, size = c->product.columns;
    byte_product p = c->product;
    p.count = left < d->rows ? left : d->rows;
    p.out += begin * p.out_step;
    if (p.finish.other != NULL) p.finish.other = (const char*)p.finish.other + begin * p.finish.other_step;
    for (int64_t group = 0; group < c->groups; group++) {
        const int64_t channels = c->window.channels / c->groups;
        p.row_step = row_bytes(c);
        if (reads_in_place(c)) {
            p.rows = c->window.data + begin * p.row_step;
        } else {
            gather(c, group * channels, begin, begin + p.count, scratch);
            p.rows = scratch;
        }
        byte_product_panels(&p, panels * part / d->parts, panels * (part + 1) / d->parts);
        p.weights += c->packed_size;
        p.out += size * (p.finish.type == RESULT_FLOAT32 ? 4 : 1);
        p.finish.start += c->padded_columns;
        if (p.finish.scale != NULL) p.finish.scale += c->padded_columns;
        if (p.finish.shift != NULL) p.finish.shift += c->padded_columns;
        if (p.finish.other != NULL) p.finish.other = (const char*)p.finish.other + size;
    }
}

void byte_convolution_run(const byte_convolution* c, const byte_division* d, int64_t begin, int64_t end,
                          uint8_t* scratch) {
    for (int64_t unit = begin; unit < end; unit++) run_unit(c, d, unit, scratch);
}
