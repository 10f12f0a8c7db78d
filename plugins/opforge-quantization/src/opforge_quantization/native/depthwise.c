/* Convolution with one channel in each group: a filter reads a single plane. */
#include "native/convolution.h"
#include "native/ranges.h"

/* Outputs [begin, end) along the width for which a tap lies within the data. */
typedef struct span {
    int64_t begin, end;
} span;

static span span_of(const window* w, int64_t tap) {
    int64_t first = tap * w->dilate[WIDTH] - w->pad[WIDTH], stride = w->stride[WIDTH];
    int64_t begin = first < 0 ? (-first + stride - 1) / stride : 0;
    int64_t end = first < w->in[WIDTH] ? (w->in[WIDTH] - first + stride - 1) / stride : 0;
    if (end > w->out[WIDTH]) end = w->out[WIDTH];
    return (span){begin, end < begin ? begin : end};
}

/* Add a row of the data, multiplied by the row of a filter, to a row of sums. */
#define DEFINE_ROW(name, type) \
    static void name(const window* w, const void* data, const int8_t* weight, int32_t* sums) { \
        const type* row = (const type*)data; \
        int64_t stride = w->stride[WIDTH]; \
        for (int64_t tap = 0; tap < w->kernel[WIDTH]; tap++) { \
            span s = span_of(w, tap); \
            int64_t at = tap * w->dilate[WIDTH] - w->pad[WIDTH]; \
            int32_t factor = weight[tap]; \
            if (stride == 1) { \
                for (int64_t x = s.begin; x < s.end; x++) sums[x] += factor * row[at + x]; \
            } else { \
                for (int64_t x = s.begin; x < s.end; x++) sums[x] += factor * row[at + x * stride]; \
            } \
        } \
    }

DEFINE_ROW(add_row_of_int8, int8_t)
DEFINE_ROW(add_row_of_uint8, uint8_t)

/* Sums of one filter over one plane. */
static void run_plane(const convolution* c, const char* data, const int8_t* weight, int32_t* out) {
    const window* w = &c->w;
    for (int64_t z = 0; z < w->out[DEPTH]; z++) {
        taps d = taps_at(w, DEPTH, z);
        for (int64_t y = 0; y < w->out[HEIGHT]; y++, out += w->out[WIDTH]) {
            taps h = taps_at(w, HEIGHT, y);
            memset(out, 0, (size_t)w->out[WIDTH] * sizeof *out);
            for (int64_t i = d.begin; i < d.end; i++) {
                int64_t plane = (d.at + (i - d.begin) * w->dilate[DEPTH]) * w->in[HEIGHT];
                for (int64_t j = h.begin; j < h.end; j++) {
                    const char* row = data + (plane + h.at + (j - h.begin) * w->dilate[HEIGHT]) * w->in[WIDTH];
                    const int8_t* factors = weight + (i * w->kernel[HEIGHT] + j) * w->kernel[WIDTH];
                    (c->is_unsigned ? add_row_of_uint8 : add_row_of_int8)(w, row, factors, out);
                }
            }
        }
    }
}

static void run_planes(void* argument, int64_t begin, int64_t end) {
    const convolution* c = (const convolution*)argument;
    int64_t all = c->groups * c->filters, positions = volume_of(c->w.out);
    for (int64_t plane = begin; plane < end; plane++) {
        int64_t filter = plane % all;
        int32_t* out = c->out + plane * positions;
        run_plane(c, c->data + plane / c->filters * volume_of(c->w.in), c->weight + filter * volume_of(c->w.kernel), out);
        if (c->bias != NULL) add_bias(out, positions, c->bias[filter]);
    }
}

int32_t convolve_depthwise(opforge_call* call, const convolution* c) {
    int64_t each = volume_of(c->w.out) * volume_of(c->w.kernel);
    call->host->parallel_for(call, c->n * c->groups * c->filters, 1 + GRAIN / each, run_planes, (void*)c);
    return OPFORGE_OK;
}
