/* Forward pass on blocks, without packing. A unit of work is a band of one image and a part of the filters. A
 * band is some rows of results or, if there is but one row, some columns. With padding, the input rows of a band are
 * copied once with zeros around them, so that filters slide without border checks. For 1x1 filters with a stride, the
 * elements that they read are copied next to each other, as one row. */
#include "blocked_sizes.h"
#include "kernels.h"

enum {
    BAND_ELEMENTS = LANES << 13, /* data elements of a band: half of an L2 cache, which is 1 MiB with AVX-512 */
    FINISHED_AT_ONCE = 64,   /* positions, which are still in the first cache */
    HALF = LANES / 2,
    GATHER_VECTORS = 4,      /* of filters, for which gathering the elements of strided filters costs less than it saves */
};

typedef struct blocked {
    const conv_shape* s;
    const conv_arrays* arrays;
    int64_t size;             /* bytes of an element */
    block_view view;          /* of a band */
    int64_t blocks, vectors;  /* of one group's data and filters */
    int64_t lines, line;      /* results of an image: rows and their length; one row if its elements are gathered */
    int64_t rows, width;      /* results of a band: rows and columns */
    int64_t bands;            /* of an image */
    int64_t parts;            /* parts of the vectors of filters */
    int64_t seen, columns;    /* input rows and columns of a band */
    int is_padded, is_gathered;
    int64_t* held;            /* bands that the scratch memory of each worker holds */
    finish finish;
} blocked;

static int64_t reach(const conv_shape* s, int axis) { return (s->kernel[axis] - 1) * s->dilate[axis] + 1; }

/* Whether most data are read from memory instead of a cache, in more streams than processors prefetch: a 1x1 filter
 * with many channels and few filters. */
static int reads_memory(const blocked* b) {
    const conv_shape* s = b->s;
    return conv_volume(s->kernel) == 1 && s->stride[2] == 1 && s->lanes > 1 && b->blocks >= 4 && b->blocks > b->vectors;
}

/* -- plan --------------------------------------------------------------------------------------------------- */

/* Elements of a row of data in all blocks of a group. */
static double row_elements(const blocked* b) { return (double)max64(b->s->in_channels, 1) * (double)b->columns; }

/* Divide `length` results, each of `elements` elements of data, into bands that fit the cache and give each thread
 * several units. Return the length of a band, a multiple of `least`. */
static int64_t plan_bands(blocked* b, int64_t length, double elements, int64_t least, int64_t threads) {
    int64_t groups = b->s->n * b->s->groups, most = ceil_div(length, least);
    int64_t fitting = max64(1, (int64_t)(BAND_ELEMENTS / (elements * (double)least)));
    int64_t bands = ceil_div(most, fitting);
    b->parts = blocked_parts(b->vectors, groups * bands, threads);
    int64_t wanted = threads == 1 ? 1 : ceil_div(4 * threads, max64(groups * b->parts, 1));
    bands = max64(bands, min64(wanted, most));
    int64_t band = ceil_div(most, bands) * least;
    b->bands = ceil_div(length, band);
    return band;
}

static void plan_units(blocked* b, int64_t threads) {
    const conv_shape* s = b->s;
    b->rows = 1;
    b->width = b->line;
    if (b->lines == 1 && !b->is_padded) {
        double elements = (double)max64(s->in_channels, 1) * (double)(b->is_gathered ? 1 : s->stride[2]);
        b->width = plan_bands(b, b->line, elements, TILE_POSITIONS, threads);
    } else {
        b->rows = plan_bands(b, s->out[1], row_elements(b) * (double)s->stride[1], 1, threads);
    }
    b->seen = (b->rows - 1) * s->stride[1] + reach(s, 1);
}

static blocked plan_blocks(const conv_shape* s, int64_t threads) {
    blocked b = {.s = s, .size = opforge_item_size(s->dtype)};
    b.blocks = s->in_channels / s->lanes;
    b.vectors = ceil_div(s->out_channels, LANES);
    b.is_padded = s->pad[1] != 0 || s->pad[2] != 0;
    b.is_gathered = conv_volume(s->kernel) == 1 && !b.is_padded && s->stride[1] * s->stride[2] > 1 && b.vectors >= GATHER_VECTORS;
    b.lines = b.is_gathered ? 1 : s->out[1];
    b.line = b.is_gathered ? s->out[1] * s->out[2] : s->out[2];
    b.columns = b.is_padded ? (s->out[2] - 1) * s->stride[2] + reach(s, 2) : s->in[2];
    plan_units(&b, threads);
    int64_t rows = b.is_padded ? b.seen : s->in[1];
    b.view = (block_view){
        .brain = s->dtype == OPFORGE_BFLOAT16, .pairs = conv_is_of_pairs(s->form), .blocks = b.blocks, .taps_y = s->kernel[1], .taps_x = s->kernel[2], .run = s->lanes,
        .block = rows * b.columns * s->lanes, .tap_y = s->dilate[1] * b.columns * s->lanes,
        .tap_x = s->dilate[2] * s->lanes, .position = s->stride[2] * s->lanes,
    };
    if (b.is_gathered) {
        b.view.block = b.width * s->lanes;
        b.view.position = s->lanes;
    }
    if (reads_memory(&b)) b.view.ahead = TILE_POSITIONS * s->lanes;
    if (s->dilate[2] == 1) { /* taps are adjacent, as lanes are */
        b.view.run *= b.view.taps_x;
        b.view.taps_x = 1;
    }
    return b;
}

/* -- units -------------------------------------------------------------------------------------------------- */

/* Copy the input, in one group of channels, of the band that starts at a row of results. */
static void copy_band(const blocked* b, const char* group, int64_t row, char* to) {
    const conv_shape* s = b->s;
    const int64_t pixel = s->lanes * b->size, line = b->columns * pixel, width = s->in[2] * pixel;
    int64_t left = min64(s->pad[2] * pixel, line), inside = min64(width, line - left), first = row * s->stride[1] - s->pad[1];
    for (int64_t block = 0; block < b->blocks; block++, group += s->in[1] * width) {
        for (int64_t y = first; y < first + b->seen; y++, to += line) {
            if (y < 0 || y >= s->in[1]) {
                memset(to, 0, (size_t)line);
                continue;
            }
            memset(to, 0, (size_t)left);
            memcpy(to + left, group + y * width, (size_t)inside);
            memset(to + left + inside, 0, (size_t)(line - left - inside));
        }
    }
}

/* Copy the elements, in one group of channels, that a band of `width` results from a position on reads. */
static void gather_band(const blocked* b, const char* group, int64_t position, int64_t width, char* to) {
    const conv_shape* s = b->s;
    const int64_t pixel = s->lanes * b->size, row = s->stride[1] * s->in[2] * pixel, step = s->stride[2] * pixel;
    for (int64_t block = 0; block < b->blocks; block++, group += conv_volume(s->in) * pixel, to += b->width * pixel) {
        int64_t y = position / s->out[2], x = position % s->out[2];
        for (int64_t p = 0; p < width; p++) {
            const char* from = group + y * row + x * step;
            if (pixel == OF_LINE) memcpy(to + p * pixel, from, OF_LINE); /* with a constant size, one vector */
            else memcpy(to + p * pixel, from, (size_t)pixel);
            if (++x == s->out[2]) x = 0, y++;
        }
    }
}

/* Copy the data, in one group of channels, of the band that begins at a row and a column. */
static void copy_to_scratch(const blocked* b, const char* group, int64_t row, int64_t column, char* to) {
    if (b->is_padded) copy_band(b, group, row, to);
    else gather_band(b, group, column, min64(b->width, b->line - column), to);
}

/* Store the results of a tile, a vector of filters for each position, as a row of positions for each filter, which are
 * `plane` elements apart. */
static void store_plain(const blocked* b, const float* tile, int64_t positions, int64_t filters, char* out, int64_t plane) {
    for (int64_t first = 0; first < positions; first += LANES) {
        vec rows[LANES];
        for (int64_t p = 0; p < LANES; p++) {
            rows[p] = first + p < positions ? V(load)(tile + (first + p) * LANES) : (vec){0};
        }
        V(transpose)(rows);
        for (int64_t f = 0; f < min64(filters, LANES); f++) {
            store_some_elements(b->view.brain, out + (f * plane + first) * b->size, rows[f], positions - first);
        }
    }
}

/* Store the results of a tile as blocks of half a vector of filters, `step` elements apart. */
static void store_halves(const blocked* b, const float* tile, int64_t positions, int64_t filters, char* out, int64_t step) {
    const int64_t half = HALF * b->size;
    for (int64_t p = 0; p < positions; p++, out += half) {
        char both[LANES * sizeof(float)];
        store_elements(b->view.brain, both, V(load)(tile + p * LANES));
        memcpy(out, both, (size_t)half);
        if (filters > HALF) memcpy(out + step * b->size, both + half, (size_t)half);
    }
}

/* The channels of a block of the results; 1: plain results. */
static int64_t lanes_of_results(const conv_shape* s) {
    const conv_form form = conv_without_pairs(s->form);
    return form == CONV_TO_PLAIN ? 1 : form == CONV_TO_HALVES ? HALF : LANES;
}

/* Compute one or two vectors of filters, the first with index `vector` over all groups, for the band of results that
 * begins at a row and a column. `left` vectors will follow. */
static void run_vectors(const blocked* b, int64_t image, int64_t vector, int count, int64_t left, int64_t row, int64_t column,
                        const char* data) {
    const conv_shape* s = b->s;
    const int64_t plane = conv_volume(s->out), all = s->groups * s->out_channels, lanes = lanes_of_results(s);
    const int64_t depth = s->in_channels * conv_volume(s->kernel) * LANES;
    const int64_t filters = min64(count * LANES, all - vector * LANES), pixel = lanes * b->size;
    const int64_t width = min64(b->width, b->line - column), end = min64(row + b->rows, b->lines);
    char* out = (char*)b->arrays->out + (image * all + vector * LANES) * plane * b->size + (row * b->line + column) * pixel;
    float tiles[TILE_VECTORS][TILE_POSITIONS * LANES]; /* results that are not stored as whole vectors */
    block_filters to = {
        .weights = (const char*)b->arrays->weight + vector * depth * b->size, .weights_step = depth,
        .out_step = lanes == LANES ? plane * LANES : TILE_POSITIONS * LANES, .stores_sums = lanes < LANES,
        .finish = tile_finish_of(&b->finish, count, out, plane * LANES),
    };
    for (int v = 0; v < count && b->arrays->bias != NULL; v++) {
        const char* bias = (const char*)b->arrays->bias + (vector + v) * LANES * b->size;
        to.start[v] = load_some_elements(b->view.brain, bias, filters - v * LANES);
    }
    const char* later = (const char*)to.weights + count * depth * b->size;
    of_fetch fetch = fetch_weights(&to, &b->view, min64(count, left), later, depth * b->size, (end - row) * tile_count(width));
    to.fetch = &fetch;
    for (int64_t y = row; y < end; y++, data += s->stride[1] * b->columns * s->lanes * b->size, out += b->line * pixel) {
        for (int64_t tile = 0, x = 0, unfinished = 0; x < width; tile++) {
            int64_t next = tile_begin(width, tile + 1);
            to.out = lanes == LANES ? out + x * pixel : (void*)tiles[0];
            run_block_tile(count, next - x, &b->view, data + x * b->view.position * b->size, &to);
            for (int v = 0; v < count && lanes < LANES; v++) {
                char* first = out + v * LANES * plane * b->size + x * pixel;
                if (lanes == 1) store_plain(b, tiles[v], next - x, filters - v * LANES, first, plane);
                else store_halves(b, tiles[v], next - x, filters - v * LANES, first, plane * HALF);
            }
            x = next;
            if (b->finish.in_tiles || (x < width && x - unfinished < FINISHED_AT_ONCE)) continue;
            finish_rows(&b->finish, (float*)(out + unfinished * pixel), filters / lanes, plane * lanes, (x - unfinished) * lanes);
            unfinished = x;
        }
    }
}

static int32_t run_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const blocked* b = (const blocked*)argument;
    const conv_shape* s = b->s;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t part = unit % b->parts, band = unit / b->parts % b->bands, group = unit / b->parts / b->bands;
        int64_t row = b->lines == 1 ? 0 : band * b->rows, column = b->lines == 1 ? band * b->width : 0;
        const char* data = (const char*)b->arrays->data + group * s->in_channels * conv_volume(s->in) * b->size;
        if (b->is_padded || b->is_gathered) {
            if (b->held[worker->index] != unit / b->parts) copy_to_scratch(b, data, row, column, (char*)worker->scratch);
            b->held[worker->index] = unit / b->parts;
            data = (const char*)worker->scratch;
        } else {
            data += (row * s->stride[1] * b->columns + column * s->stride[2]) * s->lanes * b->size;
        }
        int64_t last = blocked_part_begin(b->vectors, part + 1, b->parts);
        for (int64_t v = blocked_part_begin(b->vectors, part, b->parts); v < last; v += TILE_VECTORS) {
            int count = (int)min64(TILE_VECTORS, last - v);
            run_vectors(b, group / s->groups, group % s->groups * b->vectors + v, count, last - v - count, row, column, data);
        }
    }
    return OPFORGE_OK;
}

static int32_t run_blocked(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays) {
    const double most_bytes = 1e12;
    blocked b = plan_blocks(&plan->shape, call->host->threads(call));
    double scratch = b.is_padded ? row_elements(&b) * (double)b.seen * (double)b.size : 0;
    if (b.is_gathered) scratch = (double)b.s->in_channels * (double)b.width * (double)b.size;
    if (scratch > most_bytes) return OPFORGE_NO_MEMORY;
    b.arrays = arrays;
    b.held = held_by_workers(call, call->host->threads(call));
    if (b.held == NULL) return OPFORGE_NO_MEMORY;
    b.finish = finish_of(call, arrays->epilogue, arrays->out, conv_volume(b.s->out), lanes_of_results(b.s));
    double filters = (double)b.s->out_channels * (double)b.rows * (double)b.width / (double)b.parts;
    double work = filters * (double)b.s->in_channels * (double)conv_volume(b.s->kernel);
    return call->host->parallel(call, b.s->n * b.s->groups * b.bands * b.parts, (int64_t)(2e5 / work) + 1, (int64_t)scratch,
                                run_part, &b);
}

void blocked_plan(opforge_call* call, conv_plan* plan) {
    plan->finishes = finish_is_done(call, &plan->shape, lanes_of_results(&plan->shape));
    plan->run = run_blocked;
}
