/* Gradient of weights by Winograd's convolution. Tiles of the data are transformed as in the forward pass, the
 * results' gradients by the transpose of the inverse transform; 36 matrix products accumulate over tiles, and the
 * sums are transformed back to taps. Both sides are first copied with interleaved channels, so that vectors are
 * vectors of channels. Work is divided by groups, parts of filters and channels, and slots of blocks with separate
 * sums. The division depends only on the sizes, so that the summation order does not depend on the number of
 * threads. The sums of a part with one slot stay in its worker's memory: those of all parts are four times the
 * weights. */
#include <stdlib.h>

#include "interleave.h"
#include "kernels.h"
#include "sizes.h"
#include "tile.h"
#include "winograd.h"
#include "winograd_range.h"

enum {
    TILES = 32,          /* tiles of a block; more if a row has more */
    MAX_ACROSS = 64,    /* tiles in a row */
    FILTER_TILES = 10,   /* tiles in a part of the filters: their transformed block takes 650 KiB */
    PANELS = 4,          /* panels in a part of the channels */
    UNITS = 16,          /* units of work, if possible */
    MAX_SUMS = 1 << 20, /* elements of all slots except the first */
};

typedef struct reduction {
    const conv_shape* s;
    const float *data, *out;
    float *weight, *sums;
    float data_limit, out_limit;               /* limits of the transformed elements */
    int* exceeds;                              /* set to 1 if an element is larger */
    int64_t across, down;                      /* tiles of an image */
    int64_t images, bands;                     /* images of a block; bands of the rows of tiles */
    int64_t blocks, slots;
    int64_t panels, panel_parts, filter_parts; /* of a group */
    int64_t rows, most;                        /* maximum rows of tiles, and tiles, of a block */
} reduction;

/* A block: some rows of tiles of some images. */
typedef struct block {
    int64_t image, images, y, rows;
} block;

/* Elements of the sums of one panel of channels, and of all. */
static int64_t panel_size(const reduction* r) { return r->s->out_channels * WINO_POINTS * PANEL; }

static int64_t sums_size(const reduction* r) { return r->s->groups * r->panels * panel_size(r); }

/* The sums of a panel of a group in a slot, from a filter on. */
static float* sums_of(const reduction* r, int64_t slot, int64_t group, int64_t panel, int64_t filter) {
    return r->sums + ((slot * r->s->groups + group) * r->panels + panel) * panel_size(r) + filter * WINO_POINTS * PANEL;
}

static reduction plan_reduction(const conv_shape* s) {
    reduction r = {.s = s, .across = ceil_div(s->out[2], WINO_OUT), .down = ceil_div(s->out[1], WINO_OUT)};
    int64_t tiles = r.across * r.down;
    r.images = tiles < TILES ? min64(TILES / tiles, s->n) : 1;
    r.bands = r.across > TILES ? r.down : ceil_div(r.down, TILES / r.across);
    r.rows = ceil_div(r.down, r.bands);
    r.most = r.images * r.rows * r.across;
    r.blocks = ceil_div(s->n, r.images) * r.bands;
    r.panels = ceil_div(s->in_channels, PANEL);
    r.panel_parts = ceil_div(r.panels, PANELS);
    r.filter_parts = ceil_div(tile_count(s->out_channels), FILTER_TILES);
    int64_t parts = s->groups * r.panel_parts * r.filter_parts;
    r.slots = min64(min64(ceil_div(UNITS, parts), ceil_div(r.blocks, 2)), 1 + MAX_SUMS / sums_size(&r));
    return r;
}

static block find_block(const reduction* r, int64_t index) {
    int64_t band = index % r->bands, image = index / r->bands * r->images, y = r->down * band / r->bands;
    return (block){image, min64(r->images, r->s->n - image), y, r->down * (band + 1) / r->bands - y};
}

/* -- transforms of a block -------------------------------------------------------------------------------- */

/* The sizes of one transformed element for a panel of channels, and for a tile of filters. */
static int64_t data_point(const reduction* r) { return r->most * PANEL; }

static int64_t out_point(const reduction* r) { return r->most * TILE_ROWS + LANES; }

/* Record that transformed elements exceed the limit, so that everything is computed directly. */
static void update_magnitudes(const reduction* r, magnitudes known, float limit) {
    if (magnitudes_exceed(known, limit)) __atomic_store_n(r->exceeds, 1, __ATOMIC_RELAXED);
}

/* Transform one tile of a vector of channels, from positions `step` apart in rows of `row` elements. */
OF_INLINE magnitudes transform_data(const float* from, int64_t row, magnitudes known, float* to, int64_t point) {
    vec half[WINO_IN][WINO_IN];
    for (int i = 0; i < WINO_IN; i++) {
        vec x[WINO_IN];
        for (int j = 0; j < WINO_IN; j++) x[j] = V(load)(from + i * row + j * PANEL);
        wino_data(x, half[i]);
        known = wino_row_magnitudes(known, half[i]);
    }
    wino_store_data(half, to, point);
    return known;
}

/* Transform one tile of a vector of filters. */
OF_INLINE magnitudes transform_out(const float* from, int64_t row, int64_t step, magnitudes known, float* to,
                                   int64_t point) {
    vec half[WINO_OUT][WINO_IN];
    for (int i = 0; i < WINO_OUT; i++) {
        vec x[WINO_OUT];
        for (int j = 0; j < WINO_OUT; j++) x[j] = V(load)(from + i * row + j * step);
        wino_spread(x, half[i]);
        known = magnitudes_with(magnitudes_with(known, half[i][1]), half[i][2]);
    }
    for (int j = 0; j < WINO_IN; j++) {
        const vec x[WINO_OUT] = {half[0][j], half[1][j], half[2][j], half[3][j]};
        vec y[WINO_IN];
        wino_spread(x, y);
        for (int i = 0; i < WINO_IN; i++) V(store)(to + (i * WINO_IN + j) * point, y[i]);
    }
    return known;
}

/* Transform a panel of channels of one image. */
static void data_of_image(const reduction* r, const block* b, const float* planes, int64_t channels, float* interleaved,
                          float* to) {
    const conv_shape* s = r->s;
    int64_t n = r->across * WINO_OUT + WINO_TAPS - 1, rows = b->rows * WINO_OUT + WINO_TAPS - 1;
    int64_t top = b->y * WINO_OUT - s->pad[1];
    magnitudes known = {0};
    for (int64_t y = 0; y < rows; y++) {
        int inside = top + y >= 0 && top + y < s->in[1];
        interleave_row(inside ? planes + (top + y) * s->in[2] : NULL, conv_volume(s->in), s->in[2], channels,
                        -s->pad[2], n, interleaved + y * n * PANEL);
    }
    for (int64_t tile = 0; tile < b->rows * r->across; tile++, to += PANEL) {
        const float* from = interleaved + (tile / r->across * n + tile % r->across) * WINO_OUT * PANEL;
        for (int lane = 0; lane < PANEL; lane += LANES) {
            known = transform_data(from + lane, n * PANEL, known, to + lane, data_point(r));
        }
    }
    update_magnitudes(r, known, r->data_limit);
}

/* Transform a tile of filters of one image; `interleaved` is 0 where the image has no results. */
static void out_of_image(const reduction* r, const block* b, const float* planes, int64_t filters, float* interleaved,
                         float* to) {
    const conv_shape* s = r->s;
    int64_t n = r->across * WINO_OUT, row = n * filters, top = b->y * WINO_OUT;
    int64_t rows = min64(b->rows * WINO_OUT, s->out[1] - top);
    magnitudes known = {0};
    for (int64_t y = 0; y < rows; y++) {
        interleave_tile(planes + (top + y) * s->out[2], conv_volume(s->out), filters, s->out[2], interleaved + y * row);
        memset(interleaved + y * row + s->out[2] * filters, 0, (size_t)((n - s->out[2]) * filters) * sizeof(float));
    }
    /* The last vectors read beyond the end of the last row. */
    memset(interleaved + rows * row, 0, (size_t)((b->rows * WINO_OUT - rows) * row + LANES) * sizeof(float));
    for (int64_t tile = 0; tile < b->rows * r->across; tile++, to += filters) {
        const float* from = interleaved + tile / r->across * WINO_OUT * row + tile % r->across * WINO_OUT * filters;
        for (int64_t lane = 0; lane < filters; lane += LANES) {
            known = transform_out(from + lane, row, filters, known, to + lane, out_point(r));
        }
    }
    update_magnitudes(r, known, r->out_limit);
}

/* -- parts ------------------------------------------------------------------------------------------------ */

/* One part of the filters and one of the channels of a group. */
typedef struct part {
    int64_t group, tile, last_tile, panel, last_panel;
    float* sums;        /* sums of its first tile and panel; */
    int64_t panel_size; /* distance to those of the next panel */
} part;

static int64_t filters_of(const reduction* r, const part* p) {
    return tile_begin(r->s->out_channels, p->last_tile) - tile_begin(r->s->out_channels, p->tile);
}

/* The number of sums of the largest part. */
static int64_t part_size(const reduction* r) {
    int64_t filters = ceil_div(tile_count(r->s->out_channels), r->filter_parts) * TILE_ROWS;
    return ceil_div(r->panels, r->panel_parts) * filters * WINO_POINTS * PANEL;
}

static void transform_filters(const reduction* r, const block* b, const part* p, float* interleaved, float* to) {
    const conv_shape* s = r->s;
    for (int64_t tile = p->tile; tile < p->last_tile; tile++, to += WINO_POINTS * out_point(r)) {
        int64_t first = tile_begin(s->out_channels, tile), filters = tile_begin(s->out_channels, tile + 1) - first;
        for (int64_t i = 0; i < b->images; i++) {
            int64_t plane = ((b->image + i) * s->groups + p->group) * s->out_channels + first;
            out_of_image(r, b, r->out + plane * conv_volume(s->out), filters, interleaved,
                         to + i * b->rows * r->across * filters);
        }
    }
}

static void transform_panel(const reduction* r, const block* b, int64_t group, int64_t panel, float* interleaved,
                            float* to) {
    const conv_shape* s = r->s;
    for (int64_t i = 0; i < b->images; i++) {
        int64_t plane = ((b->image + i) * s->groups + group) * s->in_channels + panel * PANEL;
        data_of_image(r, b, r->data + plane * conv_volume(s->in), s->in_channels - panel * PANEL, interleaved,
                      to + i * b->rows * r->across * PANEL);
    }
}

static void add_products(const reduction* r, const block* b, const part* p, const float* out, const float* data,
                         float* sums, int add) {
    int64_t filters = r->s->out_channels, count = b->images * b->rows * r->across;
    for (int64_t tile = p->tile; tile < p->last_tile; tile++) {
        int64_t rows = tile_begin(filters, tile + 1) - tile_begin(filters, tile);
        for (int64_t i = 0; i < WINO_POINTS; i++, out += out_point(r), sums += rows * PANEL) {
            run_tile(rows, count, out, data + i * data_point(r), sums, PANEL, NULL, add);
        }
    }
}

static int64_t turned_size(const reduction* r) {
    int64_t seen = (r->rows * WINO_OUT + WINO_TAPS - 1) * (r->across * WINO_OUT + WINO_TAPS - 1) * PANEL;
    int64_t given = r->rows * WINO_OUT * r->across * WINO_OUT * TILE_ROWS + LANES;
    return seen > given ? seen : given;
}

/* The scratch memory of a block's transforms, in elements. */
static int64_t block_size(const reduction* r) {
    return turned_size(r) + WINO_POINTS * (data_point(r) + FILTER_TILES * out_point(r));
}

static void run_part_of(const reduction* r, const part* p, int64_t first, int64_t last, float* scratch) {
    float *data = scratch + turned_size(r), *out = data + WINO_POINTS * data_point(r);
    for (int64_t index = first; index < last; index++) {
        block b = find_block(r, index);
        transform_filters(r, &b, p, scratch, out);
        for (int64_t panel = p->panel; panel < p->last_panel; panel++) {
            transform_panel(r, &b, p->group, panel, scratch, data);
            add_products(r, &b, p, out, data, p->sums + (panel - p->panel) * p->panel_size, index > first);
        }
    }
}

/* -- from sums to weights --------------------------------------------------------------------------------- */

/* Transform the sums of one filter and a vector of channels, which are `point` elements apart. */
static void store(const reduction* r, const float* sums, int64_t point, int64_t channels, float* to) {
    vec half[WINO_IN][WINO_TAPS], y[WINO_TAPS];
    float taps[WINO_TAPS * WINO_TAPS][LANES];
    for (int i = 0; i < WINO_IN; i++) {
        vec x[WINO_IN];
        for (int j = 0; j < WINO_IN; j++) {
            const float* from = sums + (i * WINO_IN + j) * point;
            x[j] = V(load)(from);
            for (int64_t slot = 1; slot < r->slots; slot++) x[j] += V(load)(from + slot * sums_size(r));
        }
        wino_gather(x, half[i]);
    }
    for (int j = 0; j < WINO_TAPS; j++) {
        const vec x[WINO_IN] = {half[0][j], half[1][j], half[2][j], half[3][j], half[4][j], half[5][j]};
        wino_gather(x, y);
        for (int i = 0; i < WINO_TAPS; i++) V(store)(taps[i * WINO_TAPS + j], y[i]);
    }
    for (int64_t c = 0; c < channels; c++) {
        for (int tap = 0; tap < WINO_TAPS * WINO_TAPS; tap++) *to++ = taps[tap][c];
    }
}

/* Store a tile of filters and a panel of channels. */
static void store_tile(const reduction* r, int64_t group, int64_t tile, int64_t panel, const float* sums) {
    int64_t filters = r->s->out_channels, channels = r->s->in_channels;
    int64_t first = tile_begin(filters, tile), rows = tile_begin(filters, tile + 1) - first;
    for (int64_t row = 0; row < rows; row++) {
        float* to = r->weight + (group * filters + first + row) * channels * WINO_TAPS * WINO_TAPS;
        for (int64_t c = panel * PANEL; c < min64((panel + 1) * PANEL, channels); c += LANES) {
            store(r, sums + row * PANEL + c - panel * PANEL, rows * PANEL, min64(LANES, channels - c),
                  to + c * WINO_TAPS * WINO_TAPS);
        }
    }
}

static void store_part(const reduction* r, const part* p) {
    int64_t filters = r->s->out_channels, first = tile_begin(filters, p->tile);
    for (int64_t panel = p->panel; panel < p->last_panel; panel++) {
        const float* sums = p->sums + (panel - p->panel) * p->panel_size;
        for (int64_t tile = p->tile; tile < p->last_tile; tile++) {
            store_tile(r, p->group, tile, panel, sums + (tile_begin(filters, tile) - first) * WINO_POINTS * PANEL);
        }
    }
}

/* Store the tiles of panels [begin, end) from all slots. */
static void store_slots(void* argument, int64_t begin, int64_t end) {
    const reduction* r = (const reduction*)argument;
    int64_t count = tile_count(r->s->out_channels);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t panel = unit / count % r->panels, group = unit / count / r->panels, tile = unit % count;
        store_tile(r, group, tile, panel, sums_of(r, 0, group, panel, tile_begin(r->s->out_channels, tile)));
    }
}

/* -- units of work --------------------------------------------------------------------------------------- */

static int32_t run_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const reduction* r = (const reduction*)argument;
    int64_t tiles = tile_count(r->s->out_channels);
    float* scratch = (float*)worker->scratch;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t slot = unit % r->slots, filter = unit / r->slots % r->filter_parts;
        int64_t channel = unit / r->slots / r->filter_parts % r->panel_parts;
        int64_t group = unit / r->slots / r->filter_parts / r->panel_parts;
        part p = {
            group, tiles * filter / r->filter_parts, tiles * (filter + 1) / r->filter_parts,
            r->panels * channel / r->panel_parts, r->panels * (channel + 1) / r->panel_parts,
            scratch + block_size(r), 0,
        };
        p.panel_size = filters_of(r, &p) * WINO_POINTS * PANEL;
        if (r->slots > 1) {
            p.sums = sums_of(r, slot, group, p.panel, tile_begin(r->s->out_channels, p.tile));
            p.panel_size = panel_size(r);
        }
        run_part_of(r, &p, r->blocks * slot / r->slots, r->blocks * (slot + 1) / r->slots, scratch);
        if (r->slots == 1) store_part(r, &p);
    }
    return OPFORGE_OK;
}

/* -- all -------------------------------------------------------------------------------------------------- */

static int32_t run_transformed(opforge_call* call, const conv_shape* s, const conv_arrays* arrays, int* exceeds) {
    reduction r = plan_reduction(s);
    int64_t positions = s->n * conv_volume(s->out), data = s->n * s->groups * s->in_channels * conv_volume(s->in);
    r.exceeds = exceeds;
    r.data = (const float*)arrays->data;
    r.out = (const float*)arrays->out;
    r.weight = (float*)arrays->weight;
    r.sums = (float*)arrays->workspace;
    r.data_limit = wino_limit(wino_size(r.data, data), (double)positions);
    r.out_limit = wino_limit(wino_size(r.out, positions * s->groups * s->out_channels), (double)positions);
    int64_t scratch = block_size(&r) + (r.slots == 1 ? part_size(&r) : 0);
    int64_t units = s->groups * r.panel_parts * r.filter_parts * r.slots;
    double work = (double)sums_size(&r) * (double)(r.blocks * r.most) / (double)units;
    int32_t status = call->host->parallel(call, units, (int64_t)(2e5 / work) + 1, scratch * (int64_t)sizeof(float),
                                          run_part, &r);
    if (status || r.slots == 1) return status;
    call->host->parallel_for(call, s->groups * r.panels * tile_count(s->out_channels), 1, store_slots, &r);
    return OPFORGE_OK;
}

/* Elements that exceed the limit are rare: if one is found, the result is recomputed directly. */
static int32_t run_backward(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays) {
    const conv_plan* direct = (const conv_plan*)plan->context;
    int exceeds = 0;
    int32_t status = run_transformed(call, &plan->shape, arrays, &exceeds);
    return status || !exceeds ? status : direct->run(call, direct, arrays);
}

static void end_backward(void* context) {
    conv_plan* direct = (conv_plan*)context;
    if (direct->end != NULL) direct->end(direct->context);
    free(direct);
}

int32_t winograd_weight_plan(opforge_call* call, conv_plan* plan) {
    reduction r = plan_reduction(&plan->shape);
    int64_t bytes = r.slots == 1 ? 0 : r.slots * sums_size(&r) * (int64_t)sizeof(float);
    conv_plan* direct = (conv_plan*)malloc(sizeof *direct);
    if (direct == NULL) return OPFORGE_NO_MEMORY;
    *direct = *plan;
    int32_t status = direct_weight_plan(call, direct);
    if (status) {
        free(direct);
        return status;
    }
    plan->workspace_bytes = max64(bytes, direct->workspace_bytes);
    plan->context = direct;
    plan->end = end_backward;
    plan->run = run_backward;
    return OPFORGE_OK;
}

/* Costs in products of vectors, as measured: transforms cost about 250 products for a vector of channels of a
 * tile, and 200 for a vector of sums. */
int winograd_weight_is_faster(const conv_shape* s) {
    int64_t most = INT32_MAX / LANES;
    if (s->kernel[1] != WINO_TAPS || s->kernel[2] != WINO_TAPS || s->stride[1] != 1 || s->stride[2] != 1 ||
        s->dilate[1] != 1 || s->dilate[2] != 1 || s->out[2] > MAX_ACROSS * WINO_OUT || conv_volume(s->in) > most ||
        conv_volume(s->out) > most || !winograd_is_allowed()) {
        return 0;
    }
    reduction r = plan_reduction(s);
    double tiles = (double)(s->n * r.across * r.down), positions = (double)s->n * (double)conv_volume(s->out);
    double channels = (double)(r.panels * PANEL) / LANES, filters = (double)s->out_channels;
    double cost = tiles * (WINO_POINTS * channels * filters + 250 * (double)r.filter_parts * channels +
                           250 * (double)r.panel_parts * filters / LANES) + 200 * channels * filters;
    return cost < 0.8 * positions * WINO_TAPS * WINO_TAPS * (double)s->in_channels / LANES * filters;
}
