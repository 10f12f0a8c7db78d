#include "deformed.h"

#include "sampling.h"
#include "transposed.h"

enum {
    BLOCK_BYTES = 1 << 22, /* maximum size of a block of patches */
    MIN_COLUMNS = 32,    /* minimum columns of a block */
    BALANCED_UNITS = 4,        /* units of work that balance well on a few threads */
    BALANCED_CHUNKS = 8,       /* chunks of a group's channels */
    TILE = 16,             /* channels transposed at a time */
    GRAIN = 1 << 14,       /* elements that are worth a part of a loop */
    ALIGNMENT = 64,
};

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t aligned(int64_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

/* Data shared by the parts of a loop. */
typedef struct work {
    opforge_call* call;
    const deformed_settings* d;
    const deformed_arrays *arrays, *grads;
    conv_shape s;
    int64_t item, taps, rows, positions; /* rows: elements of a filter */
    int64_t columns, blocks;          /* positions of a block; number of blocks of positions, or of channels for the weight */
    char *pixels, *weight;            /* the images and the weight, with channels innermost */
} work;

/* Choose the block size: halve blocks until they are small enough and there are enough. */
static void choose_block(work* w) {
    for (w->blocks = 1;; w->blocks *= 2) {
        w->columns = larger((w->positions + w->blocks - 1) / w->blocks, 1);
        int is_small = w->columns * w->rows * w->item <= BLOCK_BYTES;
        int is_balanced = w->s.n * w->s.groups * w->blocks >= BALANCED_UNITS;
        if ((is_small && is_balanced) || w->columns <= MIN_COLUMNS) break;
    }
    w->blocks = (w->positions + w->columns - 1) / w->columns;
}

static work begin_work(opforge_call* call, const deformed_arrays* arrays, const deformed_arrays* grads) {
    work w = {.call = call, .d = (const deformed_settings*)call->state, .arrays = arrays, .grads = grads};
    w.s = conv_shape_of(&w.d->of, &call->inputs[0], &call->outputs[0]);
    w.s.dtype = opforge_computed_in(w.s.dtype);
    w.item = opforge_item_size(w.s.dtype);
    w.taps = conv_volume(w.s.kernel);
    w.rows = w.taps * w.s.in_channels;
    w.positions = conv_volume(w.s.out);
    choose_block(&w);
    return w;
}

/* Bytes of a worker's scratch memory: patches, sampling, and `more`. */
static int64_t patch_bytes(const work* w) { return aligned(w->rows * w->columns * w->item); }
static int64_t sampled_bytes(const work* w) {
    return patch_bytes(w) + aligned(conv_sampling_bytes(w->columns, w->s.in_channels));
}

static int32_t run(work* w, int64_t units, int64_t more, opforge_part part) {
    return w->call->host->parallel(w->call, units, 1, sampled_bytes(w) + more, part, w);
}

static conv_field field_of(const work* w, int64_t image) {
    int64_t groups = w->d->groups, each = groups * w->taps * w->positions * w->item;
    const char* mask = (const char*)w->arrays->mask;
    return (conv_field){
        .offset = (const char*)w->arrays->offset + 2 * image * each,
        .mask = mask == NULL ? NULL : mask + image * each,
        .groups = groups,
        .channels = w->s.groups * w->s.in_channels / groups,
        .is_padded = w->d->is_modulated,
    };
}

/* Bytes of an image, of the results of a group, and of the weight of a group. */
static int64_t image_bytes(const work* w) {
    return w->s.groups * w->s.in_channels * conv_volume(w->s.in) * w->item;
}
static char* image_data(const work* w, void* data, int64_t image) { return (char*)data + image * image_bytes(w); }
static char* out_of(const work* w, int64_t unit) {
    return (char*)w->arrays->out + unit * w->s.out_channels * w->positions * w->item;
}
static char* weight_of(const work* w, void* weight, int64_t group) {
    return (char*)weight + group * w->s.out_channels * w->rows * w->item;
}

static conv_block block_of(const work* w, int64_t number) {
    return (conv_block){.column = number * w->columns, .column_end = smaller((number + 1) * w->columns, w->positions)};
}

static void sample(const work* w, int64_t image, int64_t begin, int64_t end, const conv_block* block, char* scratch) {
    conv_field field = field_of(w, image);
    conv_sample(&w->s, &field, block, begin, end, w->pixels + image * image_bytes(w), scratch + patch_bytes(w), scratch);
}

/* -- channels innermost ------------------------------------------------------------------------------------------- */

static int64_t pixel_bytes(const work* w) { return aligned(w->s.n * image_bytes(w)); }
static int64_t filters_of(const work* w) { return w->s.groups * w->s.out_channels; }

int64_t conv_deformed_bytes(opforge_call* call) {
    work w = begin_work(call, NULL, NULL);
    if (call->stage == OPFORGE_FORWARD) return pixel_bytes(&w) + filters_of(&w) * w.rows * w.item;
    return call->wanted[2 + w.d->is_modulated] ? pixel_bytes(&w) : 0;
}

/* A unit of work is some channels of an image. */
static void transpose_images(void* argument, int64_t begin, int64_t end) {
    const work* w = (const work*)argument;
    int64_t channels = w->s.groups * w->s.in_channels, tiles = (channels + TILE - 1) / TILE, plane = conv_volume(w->s.in);
    for (int64_t at = begin; at < end; at++) {
        int64_t image = at / tiles, first = at % tiles * TILE;
        conv_transpose(w->s.dtype, image_data(w, w->arrays->data, image) + first * plane * w->item,
                       smaller(TILE, channels - first), plane, w->pixels + image * image_bytes(w) + first * w->item,
                       channels);
    }
}

/* A unit of work is a filter. */
static void transpose_filters(void* argument, int64_t begin, int64_t end) {
    const work* w = (const work*)argument;
    for (int64_t filter = begin; filter < end; filter++) {
        int64_t at = filter * w->rows * w->item;
        conv_transpose(w->s.dtype, (const char*)w->arrays->weight + at, w->s.in_channels, w->taps, w->weight + at,
                       w->s.in_channels);
    }
}

static void open_pixels(work* w) {
    int64_t tiles = (w->s.groups * w->s.in_channels + TILE - 1) / TILE, each = TILE * conv_volume(w->s.in);
    w->pixels = (char*)w->call->workspace;
    w->call->host->parallel_for(w->call, w->s.n * tiles, GRAIN / (each + 1) + 1, transpose_images, w);
}

static void open_filters(work* w) {
    w->weight = w->pixels + pixel_bytes(w);
    w->call->host->parallel_for(w->call, filters_of(w), GRAIN / (w->rows + 1) + 1, transpose_filters, w);
}

/* -- forward: units are blocks of positions of a group of an image ------------------------------------------------ */

static int32_t forward_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const work* w = (const work*)argument;
    int64_t channels = w->s.in_channels, filters = w->s.out_channels;
    char* scratch = (char*)worker->scratch;
    for (int64_t at = begin; at < end; at++) {
        int64_t unit = at / w->blocks, group = unit % w->s.groups;
        conv_block block = block_of(w, at % w->blocks);
        sample(w, unit / w->s.groups, group * channels, (group + 1) * channels, &block, scratch);
        opforge_gemm product = opforge_matmul(w->s.dtype, filters, block.column_end - block.column, w->rows,
                                              weight_of(w, w->weight, group), scratch,
                                              out_of(w, unit) + block.column * w->item);
        product.transpose_b = 1;
        product.c_row = w->positions;
        product.bias = w->arrays->bias == NULL ? NULL : (const char*)w->arrays->bias + group * filters * w->item;
        product.bias_axis = 0;
        int32_t status = w->call->host->gemm(w->call, &product);
        if (status) return status;
    }
    return OPFORGE_OK;
}

int32_t conv_deformed_forward(opforge_call* call, const deformed_arrays* arrays) {
    work w = begin_work(call, arrays, NULL);
    open_pixels(&w);
    open_filters(&w);
    return run(&w, w.s.n * w.s.groups * w.blocks, 0, forward_part);
}

/* -- gradients of data, offset and mask: units are images, whose groups may move together ---------------------- */

/* Zero and return the gradient of one image; NULL if it is not wanted. */
static void* cleared(void* grad, int64_t image, int64_t bytes) {
    if (grad == NULL) return NULL;
    return memset((char*)grad + image * bytes, 0, (size_t)bytes);
}

static int32_t move_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const work* w = (const work*)argument;
    int64_t channels = w->s.in_channels, mask_bytes = w->d->groups * w->taps * w->positions * w->item;
    char* scratch = (char*)worker->scratch;
    for (int64_t image = begin; image < end; image++) {
        conv_field field = field_of(w, image);
        conv_field_grads grads = {
            .data = cleared(w->grads->data, image, image_bytes(w)),
            .offset = cleared(w->grads->offset, image, 2 * mask_bytes),
            .mask = cleared(w->grads->mask, image, mask_bytes),
        };
        for (int64_t at = 0; at < w->s.groups * w->blocks; at++) {
            int64_t group = at / w->blocks;
            conv_block block = block_of(w, at % w->blocks);
            opforge_gemm product = opforge_matmul(
                w->s.dtype, w->rows, block.column_end - block.column, w->s.out_channels,
                weight_of(w, w->arrays->weight, group),
                out_of(w, image * w->s.groups + group) + block.column * w->item, scratch);
            product.transpose_a = 1;
            product.b_row = w->positions;
            int32_t status = w->call->host->gemm(w->call, &product);
            if (status) return status;
            conv_unsample(&w->s, &field, &block, group * channels, (group + 1) * channels,
                          image_data(w, w->arrays->data, image), scratch + patch_bytes(w), scratch, &grads);
        }
    }
    return OPFORGE_OK;
}

/* -- gradient of the weight: units are some channels of a group, over all images -------------------------------- */

static int64_t channels_each(const work* w) { return (w->s.in_channels + w->blocks - 1) / w->blocks; }

/* Add the contribution of some positions of an image to `sum`, (filters, taps, channels). */
static int32_t add_block(const work* w, int64_t unit, const conv_block* block, int64_t elements, char* patches, char* sum) {
    opforge_gemm product = opforge_matmul(w->s.dtype, w->s.out_channels, elements, block->column_end - block->column,
                                          out_of(w, unit) + block->column * w->item, patches, sum);
    product.a_row = w->positions;
    product.beta = 1;
    return w->call->host->gemm(w->call, &product);
}

static int32_t weight_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const work* w = (const work*)argument;
    int64_t channels = w->s.in_channels, each = channels_each(w);
    char *scratch = (char*)worker->scratch, *sum = scratch + sampled_bytes(w);
    for (int64_t at = begin; at < end; at++) {
        int64_t group = at / w->blocks, first = at % w->blocks * each, last = smaller(first + each, channels);
        int64_t elements = (last - first) * w->taps;
        if (first >= last) continue;
        memset(sum, 0, (size_t)(w->s.out_channels * elements * w->item));
        for (int64_t image = 0; image < w->s.n; image++) {
            for (int64_t number = 0; number * w->columns < w->positions; number++) {
                conv_block block = block_of(w, number);
                sample(w, image, group * channels + first, group * channels + last, &block, scratch);
                int32_t status = add_block(w, image * w->s.groups + group, &block, elements, scratch, sum);
                if (status) return status;
            }
        }
        char* grad = weight_of(w, w->grads->weight, group) + first * w->taps * w->item;
        for (int64_t filter = 0; filter < w->s.out_channels; filter++) {
            conv_transpose(w->s.dtype, sum + filter * elements * w->item, w->taps, last - first,
                           grad + filter * w->rows * w->item, w->taps);
        }
    }
    return OPFORGE_OK;
}

int32_t conv_deformed_backward(opforge_call* call, const deformed_arrays* arrays, const deformed_arrays* grads) {
    work w = begin_work(call, arrays, grads);
    int32_t status = OPFORGE_OK;
    if (grads->data != NULL || grads->offset != NULL || grads->mask != NULL) status = run(&w, w.s.n, 0, move_part);
    if (status || grads->weight == NULL) return status;
    open_pixels(&w);
    w.blocks = larger(smaller(BALANCED_CHUNKS, w.s.in_channels), 1);
    return run(&w, w.s.groups * w.blocks, w.s.out_channels * channels_each(&w) * w.taps * w.item, weight_part);
}
