/* Depthwise convolution on blocks: each tap is a product of vectors of channels. Filters slide over the image in
 * place; taps on its padding are skipped. A unit of work is a band of rows of one block of channels. */
#include "kernels.h"
#include "sizes.h"
#include "tile_finish.h"

enum { MOST_POSITIONS = 8 }; /* of a tile */

/* Positions of a tile, from which the plan chooses. */
#define EACH_TILE(M) M(8) M(6) M(5) M(4) M(1)

typedef struct depthwise {
    const conv_shape* s;
    const conv_arrays* arrays;
    int brain;
    int64_t pixel; /* bytes of a block of channels */
    int64_t blocks, rows, bands; /* blocks of channels; rows of a band, and bands of an image */
    int64_t begin, end;          /* columns of results that no padding contributes to */
    int positions;               /* of a tile of these columns */
    finish finish;
} depthwise;

/* The taps of one row of results, and where they read the first column. */
typedef struct tap_rows {
    const char *data, *weights;
    int64_t count;            /* rows of taps inside the image */
    int64_t taps_x;           /* taps of a row of weights */
    int64_t row, tap, column; /* bytes between rows of taps, taps and results */
    vec bias;
    const tile_finish* finish;
} tap_rows;

/* -- tiles of results --------------------------------------------------------------------------------------- */

/* Compute adjacent results of a row from the taps [first, last) of each row of taps. */
OF_INLINE void depthwise_tile(const int brain, const int positions, const tap_rows* t, int64_t first, int64_t last,
                              int64_t x, char* out) {
    const int64_t pixel = LANES * (brain ? sizeof(uint16_t) : sizeof(float));
    vec sums[MOST_POSITIONS];
#pragma GCC unroll 8
    for (int p = 0; p < positions; p++) sums[p] = t->bias;
    for (int64_t ty = 0; ty < t->count; ty++) {
        const char* data = t->data + ty * t->row + x * t->column;
        for (int64_t tx = first; tx < last; tx++) {
            vec weight = load_elements(brain, t->weights + (ty * t->taps_x + tx) * pixel);
#pragma GCC unroll 8
            for (int p = 0; p < positions; p++) sums[p] += weight * load_elements(brain, data + tx * t->tap + p * t->column);
        }
    }
    finish_tile(brain, 1, positions, t->finish, out + x * pixel, 0, sums);
#pragma GCC unroll 8
    for (int p = 0; p < positions; p++) store_elements(brain, out + (x + p) * pixel, sums[p]);
}

/* Compute the columns [begin, end) from all taps of a row; the last tile may overlap the one before. */
OF_INLINE void depthwise_tiles(const int brain, const int positions, const tap_rows* t, int64_t taps_x, int64_t begin,
                               int64_t end, char* out) {
    for (int64_t x = begin; x < end; x += positions) {
        depthwise_tile(brain, positions, t, 0, taps_x, min64(x, end - positions), out);
    }
}

OF_INLINE void depthwise_inside(const int brain, const depthwise* d, const tap_rows* t, int64_t taps_x, char* out) {
#define TILES(n) case n: depthwise_tiles(brain, n, t, taps_x, d->begin, d->end, out); break;
    switch (d->positions) { EACH_TILE(TILES) }
#undef TILES
}

/* -- rows and units ----------------------------------------------------------------------------------------- */

/* The first tap at least `distance` elements after that of index 0. Divisions would take long for short rows. */
static int64_t tap_at(const conv_shape* s, int axis, int64_t distance) {
    return s->dilate[axis] == 1 ? distance : ceil_div(distance, s->dilate[axis]);
}

/* The taps that read inside the image, in one dimension, for the results at a position. */
static void taps_inside(const conv_shape* s, int axis, int64_t position, int64_t* first, int64_t* last) {
    int64_t start = position * s->stride[axis] - s->pad[axis];
    *first = start >= 0 ? 0 : tap_at(s, axis, -start);
    *last = start >= s->in[axis] ? 0 : min64(s->kernel[axis], tap_at(s, axis, s->in[axis] - start));
}

/* Compute columns whose taps are partly on the padding. */
OF_INLINE void run_border(const int brain, const conv_shape* s, const tap_rows* t, int64_t begin, int64_t end, char* out) {
    for (int64_t x = begin; x < end; x++) {
        int64_t first, last;
        taps_inside(s, 2, x, &first, &last);
        depthwise_tile(brain, 1, t, first, last, x, out);
    }
}

/* Common filter sizes are compiled separately. */
OF_INLINE void run_columns(const int brain, const depthwise* d, const tap_rows* t, char* out) {
    const conv_shape* s = d->s;
    run_border(brain, s, t, 0, d->begin, out);
    if (s->kernel[2] == 3) depthwise_inside(brain, d, t, 3, out);
    else if (s->kernel[2] == 5) depthwise_inside(brain, d, t, 5, out);
    else depthwise_inside(brain, d, t, s->kernel[2], out);
    run_border(brain, s, t, d->end, s->out[2], out);
}

OF_NOINLINE void run_float_columns(const depthwise* d, const tap_rows* t, char* out) { run_columns(0, d, t, out); }
#ifdef OF_BRAIN_PRODUCTS
OF_NOINLINE void run_brain_columns(const depthwise* d, const tap_rows* t, char* out) { run_columns(1, d, t, out); }
#else
#define run_brain_columns run_float_columns
#endif

static void run_row(const depthwise* d, const char* image, const char* weights, vec bias, const tile_finish* finish, int64_t y,
                    char* out) {
    const conv_shape* s = d->s;
    int64_t first, last, line = s->in[2] * d->pixel;
    taps_inside(s, 1, y, &first, &last);
    tap_rows t = {
        .data = image + (y * s->stride[1] - s->pad[1] + first * s->dilate[1]) * line - s->pad[2] * d->pixel,
        .weights = weights + first * s->kernel[2] * d->pixel,
        .count = last - first, .taps_x = s->kernel[2],
        .row = s->dilate[1] * line, .tap = s->dilate[2] * d->pixel, .column = s->stride[2] * d->pixel,
        .bias = bias, .finish = finish,
    };
    (d->brain ? run_brain_columns : run_float_columns)(d, &t, out);
    if (!d->finish.in_tiles) finish_run(&d->finish, (float*)out, s->out[2] * LANES);
}

static int32_t run_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const depthwise* d = (const depthwise*)argument;
    const conv_shape* s = d->s;
    const char *data = (const char*)d->arrays->data, *bias = (const char*)d->arrays->bias;
    int64_t taps = conv_volume(s->kernel), width = s->out[2] * d->pixel;
    (void)worker;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t plane = unit / d->bands, block = plane % d->blocks, first = unit % d->bands * d->rows;
        const char* weights = (const char*)d->arrays->weight + block * taps * d->pixel;
        vec start = bias == NULL ? (vec){0} : load_some_elements(d->brain, bias + block * d->pixel, LANES);
        char* out = (char*)d->arrays->out + (plane * s->out[1] + first) * width;
        const tile_finish finish = tile_finish_of(&d->finish, 1, out, 0);
        for (int64_t y = first; y < min64(first + d->rows, s->out[1]); y++, out += width) {
            run_row(d, data + plane * conv_volume(s->in) * d->pixel, weights, start, &finish, y, out);
        }
    }
    return OPFORGE_OK;
}

/* -- plan --------------------------------------------------------------------------------------------------- */

/* Choose the positions of a tile for a number of columns. A tile loads a vector for each position and one of weights;
 * the last tile overlaps the one before. */
static int plan_tiles(int64_t columns) {
    int best = 1;
    int64_t least = INT64_MAX;
#define COST(n)                                                \
    if (n <= columns && ceil_div(columns, n) * (n + 1) < least) { \
        least = ceil_div(columns, n) * (n + 1);                \
        best = n;                                              \
    }
    EACH_TILE(COST)
#undef COST
    return best;
}

/* Set the columns of results under which all taps are inside the image. */
static void plan_columns(depthwise* d) {
    const conv_shape* s = d->s;
    int64_t free = s->in[2] + s->pad[2] - (s->kernel[2] - 1) * s->dilate[2] - 1;
    int64_t end = free < 0 ? 0 : free / s->stride[2] + 1;
    d->begin = min64(ceil_div(s->pad[2], s->stride[2]), s->out[2]);
    d->end = max64(d->begin, min64(end, s->out[2]));
    d->positions = plan_tiles(d->end - d->begin);
}

static int32_t run_depthwise(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays) {
    const conv_shape* s = &plan->shape;
    depthwise d = {.s = s, .arrays = arrays, .brain = s->dtype == OPFORGE_BFLOAT16, .blocks = s->groups / LANES};
    d.pixel = LANES * opforge_item_size(s->dtype);
    int64_t planes = s->n * d.blocks, threads = call->host->threads(call);
    if (planes == 0 || s->out[1] == 0) return OPFORGE_OK;
    plan_columns(&d);
    d.rows = ceil_div(s->out[1], threads == 1 ? 1 : min64(s->out[1], ceil_div(4 * threads, planes)));
    d.bands = ceil_div(s->out[1], d.rows);
    d.finish = finish_of(call, arrays->epilogue, arrays->out, conv_volume(s->out), LANES);
    double work = (double)d.rows * (double)s->out[2] * (double)conv_volume(s->kernel);
    return call->host->parallel(call, planes * d.bands, (int64_t)(1e4 / work) + 1, 0, run_part, &d);
}

void blocked_depthwise_plan(opforge_call* call, conv_plan* plan) {
    plan->finishes = finish_is_done(call, &plan->shape, LANES);
    plan->run = run_depthwise;
}
