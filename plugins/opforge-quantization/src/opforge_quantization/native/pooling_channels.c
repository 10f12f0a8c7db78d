#include "native/pooling_channels.h"

#include "native/ranges.h"
#include "kernels/rounding.h"

/* Channels that are reduced together. */
enum { CHUNK = 256 };

typedef struct images {
    window w;
    const void* data;
    void* out;
    int64_t channels, chunks;
    int with_pad;
} images;

/* The window of one result: taps of both axes, and the first pixel of the image. */
typedef struct pixels {
    taps rows, columns;
    int64_t image;
} pixels;

static pixels pixels_of(const images* p, int64_t result) {
    const window* w = &p->w;
    const int64_t line = result / w->out[WIDTH], image = line / w->out[HEIGHT];
    return (pixels){taps_at(w, HEIGHT, line % w->out[HEIGHT]), taps_at(w, WIDTH, result % w->out[WIDTH]),
                    image * w->in[HEIGHT] * w->in[WIDTH]};
}

static float count_of(const images* p, const pixels* at) {
    if (p->with_pad) return (float)volume_of(p->w.kernel);
    const int64_t count = (at->rows.end - at->rows.begin) * (at->columns.end - at->columns.begin);
    return count > 0 ? (float)count : 1;
}

/* Combine the elements of all pixels of a window with `found`, channel by channel. */
#define REDUCE(type, combine) \
    for (int64_t i = 0; i < at.rows.end - at.rows.begin; i++) { \
        const int64_t pixel = at.image + (at.rows.at + i) * p->w.in[WIDTH] + at.columns.at; \
        for (int64_t j = 0; j < at.columns.end - at.columns.begin; j++) { \
            const type* x = (const type*)p->data + (pixel + j) * p->channels + first; \
            for (int64_t c = 0; c < n; c++) combine; \
        } \
    }

/* Loops over units: results times chunks of channels. */
#define DEFINE_LOOP(name, type, sum_type, initial, combine, result_of) \
    static void name(void* argument, int64_t begin, int64_t end) { \
        const images* p = (const images*)argument; \
        for (int64_t unit = begin; unit < end; unit++) { \
            const int64_t result = unit / p->chunks, first = unit % p->chunks * CHUNK; \
            const int64_t left = p->channels - first, n = left < CHUNK ? left : CHUNK; \
            const pixels at = pixels_of(p, result); \
            const float count = count_of(p, &at); \
            sum_type found[CHUNK]; \
            type* out = (type*)p->out + result * p->channels + first; \
            (void)count; \
            for (int64_t c = 0; c < n; c++) found[c] = initial; \
            REDUCE(type, combine) \
            for (int64_t c = 0; c < n; c++) out[c] = result_of; \
        } \
    }

#define MAXIMUM found[c] = x[c] > found[c] ? x[c] : found[c]
DEFINE_LOOP(max_int8, int8_t, int8_t, INT8_MIN, MAXIMUM, found[c])
DEFINE_LOOP(max_uint8, uint8_t, uint8_t, 0, MAXIMUM, found[c])
DEFINE_LOOP(average_int8, int8_t, int32_t, 0, found[c] += x[c], to_int8((float)found[c] / count))
DEFINE_LOOP(average_uint8, uint8_t, int32_t, 0, found[c] += x[c], to_uint8((float)found[c] / count))

void pool_channels(opforge_call* call, const window* w, int is_max, int with_pad) {
    const opforge_tensor *data = &call->inputs[0], *out = &call->outputs[0];
    const int64_t channels = data->shape[data->ndim - 1];
    images p = {*w, data->data, out->data, channels, (channels + CHUNK - 1) / CHUNK, with_pad};
    const int is_signed = data->dtype == OPFORGE_INT8;
    const opforge_range loop = is_max ? is_signed ? max_int8 : max_uint8 : is_signed ? average_int8 : average_uint8;
    const int64_t results = data->shape[0] * volume_of(w->out);
    const int64_t each = 64 + volume_of(w->kernel) * (channels < CHUNK ? channels : CHUNK) / 8;
    call->host->parallel_for(call, results * p.chunks, 1 + GRAIN / each, loop, &p);
}
