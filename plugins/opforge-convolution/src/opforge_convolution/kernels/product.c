/* Blocking of the dense product. A unit of work is a panel of columns and a range of tiles: for as many channels
 * at a time as fit the caches, the panel is packed into the worker's memory and multiplied by all tiles. Weights,
 * which are read in order, stream from the outer caches. */
#include "product.h"

#include "pack.h"
#include "sizes.h"
#include "tile.h"

enum { DEPTH = 640 }; /* rows of a packed panel: about 80 KiB with the widest vectors */

typedef struct blocks {
    const product* p;
    int64_t columns, panels;       /* of one group */
    int64_t channels;              /* packed at a time */
    int64_t tile_units, unit_rows; /* parts of the tiles, and the maximum rows of one */
} blocks;

static int64_t depth_of(const product* p, int64_t channels) { return channels * image_taps(&p->image_view); }

/* Tiles are divided if panels do not give each thread several units. */
static blocks plan_blocks(opforge_call* call, const product* p) {
    blocks b = {.p = p, .columns = p->images * image_positions(&p->image_view)};
    int64_t threads = call->host->threads(call), tiles = tile_count(p->filters);
    b.panels = ceil_div(b.columns, PANEL);
    b.channels = ceil_div(p->channels, ceil_div(depth_of(p, p->channels), DEPTH));
    int64_t parts = threads == 1 ? 1 : ceil_div(4 * threads, b.panels * p->groups);
    b.tile_units = parts < tiles ? parts : tiles;
    b.unit_rows = ceil_div(tiles, b.tile_units) * TILE_ROWS;
    return b;
}

/* -- results of panels that are not one piece of memory ------------------------------------------------- */

static int is_dense(const product* p) {
    return p->target.step == 1 && p->target.row == p->image_view.positions_x;
}

/* The contiguous destination of a panel's results, or NULL. */
static float* panel_target(const product* p, int64_t column, int64_t columns) {
    int64_t positions = image_positions(&p->image_view), position = column % positions;
    if (!is_dense(p) || column + PANEL > columns || position + PANEL > positions) return NULL;
    return p->target.data + column / positions * p->target.image + position;
}

/* Copy results to their destination and apply the epilogue there. */
static void scatter(const product* p, const float* results, int64_t rows, int64_t column, int64_t columns) {
    const target* t = &p->target;
    int64_t positions = image_positions(&p->image_view), width = is_dense(p) ? positions : p->image_view.positions_x;
    int64_t end = column + PANEL < columns ? column + PANEL : columns;
    while (column < end) {
        int64_t image = column / positions, row = column % positions / width, at = column % width;
        int64_t n = width - at < end - column ? width - at : end - column;
        float* to = t->data + image * t->image + row * t->row + at * t->step;
        for (int64_t r = 0; r < rows; r++) {
            for (int64_t i = 0; i < n; i++) to[r * t->plane + i * t->step] = results[r * PANEL + i];
        }
        finish_rows(&p->finish, to, rows, t->plane, n);
        results += n;
        column += n;
    }
}

/* -- units ------------------------------------------------------------------------------------------------ */

/* Compute tiles [first, last) for one packed panel; `out` is the destination of row `base`. */
static void run_tiles(const product* p, int64_t first, int64_t last, int64_t begin, int64_t end,
                      const float* panel, float* out, int64_t out_row) {
    int64_t depth = depth_of(p, p->channels), skip = depth_of(p, begin), base = tile_begin(p->filters, first);
    for (int64_t tile = first; tile < last; tile++) {
        int64_t row = tile_begin(p->filters, tile), rows = tile_begin(p->filters, tile + 1) - row;
        run_tile(rows, depth_of(p, end - begin), p->weights + row * depth + skip * rows, panel,
                    out + (row - base) * out_row, out_row, p->bias == NULL ? NULL : p->bias + row, begin > 0);
    }
}

static void run_unit(const blocks* b, const product* p, int64_t column, int64_t first, int64_t last,
                     float* packed) {
    product part = *p;
    part.target.data += tile_begin(p->filters, first) * p->target.plane;
    float* out = panel_target(&part, column, b->columns);
    float* apart = packed + depth_of(p, b->channels) * PANEL;
    for (int64_t begin = 0; begin < p->channels; begin += b->channels) {
        int64_t end = begin + b->channels < p->channels ? begin + b->channels : p->channels;
        pack_columns(&p->image_view, column, b->columns, 2, begin, end, packed, PANEL);
        if (out != NULL) run_tiles(p, first, last, begin, end, packed, out, p->target.plane);
        else run_tiles(p, first, last, begin, end, packed, apart, PANEL);
    }
    int64_t rows = tile_begin(p->filters, last) - tile_begin(p->filters, first);
    if (out == NULL) scatter(&part, apart, rows, column, b->columns);
    else finish_rows(&p->finish, out, rows, p->target.plane, PANEL);
}

static int32_t run_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const blocks* b = (const blocks*)argument;
    int64_t tiles = tile_count(b->p->filters);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t part = unit % b->tile_units, panel = unit / b->tile_units;
        product p = product_of_group(b->p, panel / b->panels, image_taps(&b->p->image_view));
        run_unit(b, &p, panel % b->panels * PANEL, tiles * part / b->tile_units,
                 tiles * (part + 1) / b->tile_units, (float*)worker->scratch);
    }
    return OPFORGE_OK;
}

int64_t product_workspace(const product* p) { return p->groups * p->filters * depth_of(p, p->channels); }

int32_t product_run(opforge_call* call, const product* p, const weight_view* weights, float* workspace) {
    product packed = *p;
    packed.weights = workspace;
    blocks b = plan_blocks(call, &packed);
    int64_t rows = depth_of(p, b.channels) + b.unit_rows;
    double work = (double)depth_of(p, p->channels) * PANEL * (double)b.unit_rows;
    int64_t grain = (int64_t)(2e5 / work) + 1;
    weights_pack(call, weights, workspace);
    return call->host->parallel(call, p->groups * b.panels * b.tile_units, grain,
                                rows * PANEL * (int64_t)sizeof(float), run_part, &b);
}
