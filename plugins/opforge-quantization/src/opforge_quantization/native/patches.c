/* Convolution by products: the elements that a block of output positions reads form the rows of a matrix. */
#include "native/convolution.h"
#include "native/ranges.h"
#include "kernels/product.h"

enum { BLOCK = 64 }; /* output positions of a product */

typedef struct work {
    const convolution* c;
    int64_t length, positions, blocks; /* of a patch, an output channel, its blocks */
} work;

/* Copy the patch of an output position, with zeros for padding. Padding is 0 for int8 and uint8 alike. */
static void gather(const convolution* c, const char* data, int64_t position, char* patch) {
    const window* w = &c->w;
    int64_t x = position % w->out[WIDTH], row = position / w->out[WIDTH];
    taps d = taps_at(w, DEPTH, row / w->out[HEIGHT]), h = taps_at(w, HEIGHT, row % w->out[HEIGHT]);
    taps v = taps_at(w, WIDTH, x);
    int64_t size = volume_of(w->in), width = w->kernel[WIDTH], height = w->kernel[HEIGHT];
    int64_t length = volume_of(w->kernel);
    int is_whole = d.end - d.begin == w->kernel[DEPTH] && h.end - h.begin == height && v.end - v.begin == width;
    if (!is_whole) memset(patch, 0, (size_t)(c->channels * length));
    for (int64_t channel = 0; channel < c->channels; channel++, data += size, patch += length) {
        for (int64_t i = d.begin; i < d.end; i++) {
            int64_t plane = (d.at + (i - d.begin) * w->dilate[DEPTH]) * w->in[HEIGHT];
            for (int64_t j = h.begin; j < h.end; j++) {
                const char* from = data + (plane + h.at + (j - h.begin) * w->dilate[HEIGHT]) * w->in[WIDTH] + v.at;
                char* to = patch + (i * height + j) * width;
                for (int64_t k = v.begin; k < v.end; k++, from += w->dilate[WIDTH]) to[k] = *from;
            }
        }
    }
}

static int32_t run_blocks(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const work* k = (const work*)argument;
    const convolution* c = k->c;
    char* patches = (char*)worker->scratch;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t image = unit / k->blocks, group = image % c->groups, first = unit % k->blocks * BLOCK;
        int64_t count = k->positions - first < BLOCK ? k->positions - first : BLOCK;
        const char* data = c->data + image * c->channels * volume_of(c->w.in);
        int32_t* out = c->out + image * c->filters * k->positions + first;
        for (int64_t p = 0; p < count; p++) gather(c, data, first + p, patches + p * k->length);
        quantized_product(patches, c->is_unsigned, c->weight + group * c->filters * k->length, out, count, c->filters,
                          k->length, 1, k->positions);
        for (int64_t f = 0; f < c->filters && c->bias != NULL; f++) {
            add_bias(out + f * k->positions, count, c->bias[group * c->filters + f]);
        }
    }
    return OPFORGE_OK;
}

int32_t convolve_patches(opforge_call* call, const convolution* c) {
    work k = {.c = c, .length = c->channels * volume_of(c->w.kernel), .positions = volume_of(c->w.out)};
    k.blocks = (k.positions + BLOCK - 1) / BLOCK;
    int64_t products = BLOCK * (k.length + 1) * c->filters, grain = 1 + 16 * GRAIN / products;
    return call->host->parallel(call, c->n * c->groups * k.blocks, grain, BLOCK * k.length, run_blocks, &k);
}
