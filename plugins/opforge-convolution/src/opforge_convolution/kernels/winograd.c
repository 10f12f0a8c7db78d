/* Winograd's convolution, a panel of tiles at a time: the data of all channels are transformed into the
 * worker's memory; then, for a few filters at a time, 36 products and the transform back. */
#include "winograd.h"

#include <stdlib.h>

#include "quads.h"
#include "winograd_tiles.h"

typedef struct blocks {
    const product* p;
    int64_t tiles, panels;  /* of one group */
    int64_t filter_tiles, parts; /* tiles of filters, and the parts that they are divided into */
    int64_t point;          /* elements from the panel of one of the 36 points to the next */
} blocks;

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Not a power of two, so that the 36 points of a channel do not meet in the caches. */
static int64_t point_size(int64_t rows) { return rows * PANEL + PANEL; }

static blocks plan_blocks(opforge_call* call, const product* p) {
    const picture* seen = &p->picture;
    blocks b = {.p = p, .tiles = p->images * wino_tiles(seen->places_y) * wino_tiles(seen->places_x)};
    int64_t threads = call->host->threads(call);
    b.panels = ceil_div(b.tiles, PANEL);
    b.filter_tiles = tile_count(p->filters);
    int64_t parts = threads == 1 ? 1 : ceil_div(2 * threads, b.panels * p->groups);
    b.parts = parts < b.filter_tiles ? parts : b.filter_tiles;
    b.point = point_size(p->channels);
    return b;
}

/* -- the data -------------------------------------------------------------------------------------------- */

/* Transform one channel of a vector of tiles. */
FORCE_INLINE void transform_data(const float* lines, const int32_t* seen, float* to, int64_t point) {
    vec rows[WINO_IN][WINO_IN];
    for (int i = 0; i < WINO_IN; i++) {
        vec x[2 * QUAD];
        quads_load(x, lines + i * LINE, seen);
        quads_load(x + QUAD, lines + i * LINE + QUAD, seen);
        wino_data(x, rows[i]);
    }
    for (int j = 0; j < WINO_IN; j++) {
        const vec x[WINO_IN] = {rows[0][j], rows[1][j], rows[2][j], rows[3][j], rows[4][j], rows[5][j]};
        vec y[WINO_IN];
        wino_data(x, y);
        for (int i = 0; i < WINO_IN; i++) vec_store(to + (i * WINO_IN + j) * point, y[i]);
    }
}

static void transform_panel(const product* p, const wino_panel* w, float* lines, float* to, int64_t point) {
    for (int64_t c = 0; c < p->channels; c++) {
        for (int i = 0; i < w->count; i++) {
            wino_copy_strip(&p->picture, &w->strips[i], p->picture.data + c * p->picture.plane, lines);
        }
        for (int lane = 0; lane < PANEL; lane += LANES) {
            transform_data(lines, w->seen + lane, to + c * PANEL + lane, point);
        }
    }
}

/* -- the results ------------------------------------------------------------------------------------------ */

FORCE_INLINE void store_row(const wino_panel* w, int lane, int row, const vec quads[QUAD], float* out,
                            int64_t out_row) {
#pragma GCC unroll 4
    for (int i = 0; i < QUAD; i++) {
#pragma GCC unroll 4
        for (int q = 0; q < QUADS; q++) {
            int tile = lane + QUAD * q + i;
            quad results = quads_take(quads[i], q);
            if (row >= w->rows[tile]) continue;
            float* to = out + w->target[tile] + row * out_row;
            if (w->columns[tile] == WINO_OUT) *(loose_quad*)to = results;
            else memcpy(to, &results, (size_t)w->columns[tile] * sizeof(float));
        }
    }
}

/* Transform one filter's products for a vector of tiles back. */
FORCE_INLINE void transform_back(const wino_panel* w, int lane, const float* products, int64_t point, float bias,
                                 float* out, int64_t out_row) {
    vec rows[WINO_IN][WINO_OUT];
    for (int i = 0; i < WINO_IN; i++) {
        vec x[WINO_IN];
        for (int j = 0; j < WINO_IN; j++) x[j] = vec_load(products + (i * WINO_IN + j) * point);
        wino_results(x, rows[i]);
    }
    vec results[WINO_OUT][WINO_OUT];
    for (int j = 0; j < WINO_OUT; j++) {
        const vec x[WINO_IN] = {rows[0][j], rows[1][j], rows[2][j], rows[3][j], rows[4][j], rows[5][j]};
        vec y[WINO_OUT];
        wino_results(x, y);
        for (int i = 0; i < WINO_OUT; i++) results[i][j] = y[i] + vec_of(bias);
    }
    for (int i = 0; i < WINO_OUT; i++) {
        quads_transpose(results[i]);
        store_row(w, lane, i, results[i], out, out_row);
    }
}

/* Take one filter's results through the epilogue, which lie side by side in rows of strips. */
static void finish_strips(const finish* f, const wino_panel* w, float* out, int64_t out_row) {
    for (int i = 0; f->call != NULL && i < w->count; i++) {
        int first = w->strips[i].first, last = w->strips[i].last;
        finish_rows(f, out + w->target[first], w->rows[first], out_row,
                    (last - first) * WINO_OUT + w->columns[last]);
    }
}

static void run_filters(const blocks* b, const product* p, const wino_panel* w, int64_t tile, const float* data,
                        float* products) {
    int64_t first = tile_begin(p->filters, tile), rows = tile_begin(p->filters, tile + 1) - first;
    int64_t point = point_size(TILE_ROWS);
    const float* weights = p->weights + first * p->channels * WINO_POINTS;
    for (int i = 0; i < WINO_POINTS; i++) {
        tiles[rows](p->channels, weights + i * p->channels * rows, data + i * b->point, products + i * point, PANEL,
                    NULL, 0);
    }
    for (int64_t r = 0; r < rows; r++) {
        float* out = p->target.data + (first + r) * p->target.plane;
        for (int lane = 0; lane < PANEL; lane += LANES) {
            transform_back(w, lane, products + r * PANEL + lane, point, p->bias == NULL ? 0 : p->bias[first + r], out,
                           p->target.row);
        }
        finish_strips(&p->finish, w, out, p->target.row);
    }
}

/* -- all ---------------------------------------------------------------------------------------------------- */

static int32_t run_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const blocks* b = (const blocks*)argument;
    float* lines = (float*)worker->scratch;
    float* products = lines + WINO_IN * LINE;
    float* data = products + WINO_POINTS * point_size(TILE_ROWS);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t part = unit % b->parts, panel = unit / b->parts;
        product p = product_of_group(b->p, panel / b->panels, WINO_POINTS);
        wino_panel w;
        wino_find(&w, &p, panel % b->panels * PANEL, b->tiles);
        transform_panel(&p, &w, lines, data, b->point);
        int64_t last = b->filter_tiles * (part + 1) / b->parts;
        for (int64_t tile = b->filter_tiles * part / b->parts; tile < last; tile++) {
            run_filters(b, &p, &w, tile, data, products);
        }
    }
    return OPFORGE_OK;
}

int32_t winograd_run(opforge_call* call, const product* p) {
    blocks b = plan_blocks(call, p);
    int64_t scratch = WINO_IN * LINE + WINO_POINTS * (point_size(TILE_ROWS) + b.point);
    double work = (double)p->channels * (double)p->filters * PANEL * WINO_POINTS / (double)b.parts;
    return call->host->parallel(call, p->groups * b.panels * b.parts, (int64_t)(2e5 / work) + 1,
                                scratch * (int64_t)sizeof(float), run_part, &b);
}

/* -- when it pays --------------------------------------------------------------------------------------------- */

enum { MOST_CHANNELS = 1 << 11 }; /* a thread holds the transformed data of all of them, 9 MiB */

static int is_allowed(void) {
    const char* setting = getenv("OPFORGE_CONVOLUTION_WINOGRAD");
    return setting == NULL || strcmp(setting, "0") != 0;
}

/* Costs of one group in products of vectors; as measured, transforms cost about as much as 300 of them
 * for a channel or filter of LANES tiles, and 80 for a filter's channel. */
int winograd_pays(const product* p) {
    const picture* seen = &p->picture;
    if (seen->taps_y != WINO_TAPS || seen->taps_x != WINO_TAPS || seen->stride_y != 1 || seen->stride_x != 1 ||
        seen->dilate_y != 1 || seen->dilate_x != 1 || p->target.step != 1 ||
        p->channels > MOST_CHANNELS || !is_allowed()) {
        return 0;
    }
    int64_t across = wino_tiles(seen->places_x), down = wino_tiles(seen->places_y);
    double tiles = 2 * (double)ceil_div(p->images * across * down, PANEL);
    double places = 2 * (double)ceil_div(p->images * picture_places(seen), PANEL);
    double channels = (double)p->channels, filters = (double)p->filters;
    double cost = tiles * (WINO_POINTS * channels * filters + 300 * (channels + filters)) + 80 * channels * filters;
    return cost < 0.9 * places * WINO_TAPS * WINO_TAPS * channels * filters;
}
