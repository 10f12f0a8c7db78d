/* Winograd's convolution on blocks, one panel of tiles at a time: as winograd.c, but the lanes of a vector are
 * channels, so that an element of a tile is a vector and nothing is rearranged. Weights are passed transformed;
 * panels that are computed directly recover the plain ones. */
#include "blocked_sizes.h"
#include "kernels.h"
#include "winograd_range.h"

enum { DATA_ELEMENTS = 1 << 18 }; /* elements of a panel's transformed data: a 1 MiB cache */

typedef struct blocked {
    const conv_shape* s;
    const conv_arrays* arrays;
    int64_t blocks, vectors;          /* of one group's data and filters */
    int64_t across, down, tiles;      /* tiles of an image, and in all */
    int64_t panel, panels, parts;     /* tiles of a panel, panels, and parts of the vectors of filters */
    int64_t point, product;           /* distance between the 36 points: of data, and of products */
    float limit;                      /* of transformed data */
    int64_t* held;                    /* twice the panel that the scratch memory of each worker holds; plus 1 if transformed */
    finish finish;
} blocked;

/* A tile: its image, and its first result. */
typedef struct position {
    int64_t image, y, x;
} position;

static position position_of(const blocked* b, int64_t tile) {
    int64_t within = tile % (b->across * b->down);
    return (position){tile / (b->across * b->down), within / b->across * WINO_OUT, within % b->across * WINO_OUT};
}

static blocked plan_tiles(const conv_shape* s, int64_t threads) {
    blocked b = {.s = s, .blocks = s->in_channels / LANES, .vectors = s->out_channels / LANES};
    b.across = ceil_div(s->out[2], WINO_OUT);
    b.down = ceil_div(s->out[1], WINO_OUT);
    b.tiles = s->n * b.across * b.down;
    int64_t fit = DATA_ELEMENTS / (WINO_POINTS * max64(s->in_channels, 1));
    b.panels = max64(1, ceil_div(b.tiles, max64(TILE_POSITIONS, min64(fit, 2 * TILE_POSITIONS))));
    b.panel = ceil_div(b.tiles, b.panels);
    b.parts = blocked_parts(b.vectors, b.panels * s->groups, threads);
    /* Not a power of two, to avoid cache conflicts between the points of a channel. */
    b.point = (b.blocks * b.panel + 1) * LANES;
    b.product = (TILE_VECTORS * b.panel + 1) * LANES;
    return b;
}

/* -- the data ------------------------------------------------------------------------------------------------ */

/* Element (y, x) of a block of channels; 0 outside. */
OF_INLINE vec element(const conv_shape* s, const float* block, int64_t y, int64_t x) {
    if (y < 0 || y >= s->in[1] || x < 0 || x >= s->in[2]) return (vec){0};
    return V(load)(block + (y * s->in[2] + x) * LANES);
}

/* Transform a tile; return the magnitudes including its own. */
static magnitudes transform_data(const conv_shape* s, const float* block, int64_t y, int64_t x, magnitudes known, float* to,
                                 int64_t point) {
    vec rows[WINO_IN][WINO_IN];
    for (int i = 0; i < WINO_IN; i++) {
        vec seen[WINO_IN];
        for (int j = 0; j < WINO_IN; j++) seen[j] = element(s, block, y + i, x + j);
        wino_data(seen, rows[i]);
        known = wino_row_magnitudes(known, rows[i]);
    }
    wino_store_data(rows, to, point);
    return known;
}

/* Copy a tile without a transform. */
static void copy_data(const conv_shape* s, const float* block, int64_t y, int64_t x, float* to, int64_t point) {
    for (int i = 0; i < WINO_POINTS; i++) V(store)(to + i * point, element(s, block, y + i / WINO_IN, x + i % WINO_IN));
}

/* Transform a panel; if its elements exceed the limit, copy it instead and return 0. */
static int transform_panel(const blocked* b, int64_t group, int64_t first, int64_t count, float* to) {
    const conv_shape* s = b->s;
    int64_t plane = conv_volume(s->in) * LANES;
    magnitudes known = {0};
    for (int copies = 0; copies < 2; copies++) {
        for (int64_t t = 0; t < count; t++) {
            position p = position_of(b, first + t);
            const float* data = (const float*)b->arrays->data + (p.image * s->groups + group) * b->blocks * plane;
            int64_t y = p.y - s->pad[1], x = p.x - s->pad[2];
            for (int64_t block = 0; block < b->blocks; block++, data += plane) {
                float* tile = to + (block * b->panel + t) * LANES;
                if (copies) copy_data(s, data, y, x, tile, b->point);
                else known = transform_data(s, data, y, x, known, tile, b->point);
            }
        }
        if (!magnitudes_exceed(known, b->limit)) return 1;
    }
    return 0;
}

/* Transform or copy a panel, of some index, unless the worker's scratch memory holds it; return whether it is transformed. */
static int hold_panel(const blocked* b, const opforge_worker* worker, int64_t index, int64_t group, int64_t first,
                      int64_t count) {
    int64_t* held = b->held + worker->index;
    if (*held / 2 != index || *held < 0) *held = 2 * index + transform_panel(b, group, first, count, (float*)worker->scratch);
    return *held % 2;
}

/* -- the results ----------------------------------------------------------------------------------------------- */

/* Compute the 36 products of one or two vectors of filters, the first with index `vector` over all groups. `left` vectors
 * will follow. */
static void multiply(const blocked* b, int64_t vector, int count, int64_t left, int64_t tiles, const float* data,
                     float* products) {
    int64_t depth = b->s->in_channels * LANES, parts = tile_count(tiles);
    const block_view view = {
        .blocks = b->blocks, .taps_y = 1, .taps_x = 1, .run = LANES, .block = b->panel * LANES, .position = LANES,
    };
    for (int i = 0; i < WINO_POINTS; i++) {
        const float* weights = (const float*)b->arrays->weight + (vector * WINO_POINTS + i) * depth;
        const int is_last = i == WINO_POINTS - 1; /* then the first point of other vectors follows */
        const float* later = weights + depth * (is_last ? (count - 1) * WINO_POINTS + 1 : 1);
        block_filters to = {.weights = weights, .weights_step = WINO_POINTS * depth, .out_step = b->panel * LANES};
        of_fetch fetch = fetch_weights(&to, &view, is_last ? min64(count, left) : count, (const char*)later,
                                       depth * (int64_t)sizeof *later, parts);
        to.fetch = &fetch;
        for (int64_t part = 0; part < parts; part++) {
            int64_t first = tile_begin(tiles, part), positions = tile_begin(tiles, part + 1) - first;
            to.out = products + i * b->product + first * LANES;
            run_block_tile(count, positions, &view, data + i * b->point + first * LANES, &to);
        }
    }
}

/* Recover the plain weights of one or two vectors of filters: blocks, then taps. */
static void restore_taps(const blocked* b, int64_t vector, int count, float* to) {
    int64_t channels = b->s->in_channels, depth = channels * LANES;
    for (int64_t v = vector; v < vector + count; v++) {
        const float* from = (const float*)b->arrays->weight + v * WINO_POINTS * depth;
        for (int64_t c = 0; c < channels; c++, from += LANES) {
            vec half[WINO_IN][WINO_TAPS], taps[WINO_TAPS];
            for (int y = 0; y < WINO_IN; y++) {
                vec points[WINO_IN];
                for (int x = 0; x < WINO_IN; x++) points[x] = V(load)(from + (y * WINO_IN + x) * depth);
                wino_taps_of(points, half[y]);
            }
            float* block = to + (c / LANES * WINO_TAPS * WINO_TAPS * LANES + c % LANES) * LANES;
            for (int x = 0; x < WINO_TAPS; x++) {
                const vec points[WINO_IN] = {half[0][x], half[1][x], half[2][x], half[3][x], half[4][x], half[5][x]};
                wino_taps_of(points, taps);
                for (int y = 0; y < WINO_TAPS; y++) V(store)(block + (y * WINO_TAPS + x) * LANES * LANES, taps[y]);
            }
        }
        to += WINO_TAPS * WINO_TAPS * depth;
    }
}

/* Compute the 16 results of each tile from plain data. */
static void multiply_directly(const blocked* b, int count, int64_t tiles, const float* taps, const float* data,
                              float* sums) {
    int64_t parts = tile_count(tiles);
    const block_view view = {
        .blocks = b->blocks, .taps_y = WINO_TAPS, .taps_x = WINO_TAPS, .run = LANES, .block = b->panel * LANES,
        .tap_y = WINO_IN * b->point, .tap_x = b->point, .position = LANES,
    };
    block_filters to = {
        .weights = taps, .weights_step = WINO_TAPS * WINO_TAPS * b->s->in_channels * LANES, .out_step = b->panel * LANES,
    };
    for (int i = 0; i < WINO_OUT * WINO_OUT; i++) {
        const float* seen = data + (i / WINO_OUT * WINO_IN + i % WINO_OUT) * b->point;
        for (int64_t part = 0; part < parts; part++) {
            int64_t first = tile_begin(tiles, part), positions = tile_begin(tiles, part + 1) - first;
            to.out = sums + i * b->product + first * LANES;
            run_block_tile(count, positions, &view, seen + first * LANES, &to);
        }
    }
}

/* Copy a tile's sums to `rows` and `columns` of results. */
static void copy_sums(const float* sums, int64_t point, vec bias, float* out, int64_t row, int64_t rows, int64_t columns) {
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            V(store)(out + i * row + j * LANES, V(load)(sums + (i * WINO_OUT + j) * point) + bias);
        }
    }
}

/* Transform a tile's products back, to `rows` and `columns` of results. */
static void transform_back(const float* products, int64_t point, vec bias, float* out, int64_t row, int64_t rows,
                           int64_t columns) {
    vec half[WINO_IN][WINO_OUT];
    wino_load_products(products, point, half);
    for (int j = 0; j < columns; j++) {
        vec y[WINO_OUT];
        wino_column(half, j, y);
        for (int i = 0; i < rows; i++) V(store)(out + i * row + j * LANES, y[i] + bias);
    }
}

/* Store tiles [first, first + count) of one vector of filters; adjacent ones share an epilogue. */
static void store(const blocked* b, int64_t vector, int64_t first, int64_t count, int is_transformed, const float* products) {
    const conv_shape* s = b->s;
    int64_t row = s->out[2] * LANES, plane = s->out[1] * row;
    const float* bias = (const float*)b->arrays->bias;
    vec start = bias == NULL ? (vec){0} : V(load)(bias + vector * LANES);
    float* begin = NULL;
    for (int64_t t = 0; t < count; t++) {
        position p = position_of(b, first + t);
        float* image = (float*)b->arrays->out + (p.image * s->groups * b->vectors + vector) * plane;
        float* out = image + p.y * row + p.x * LANES;
        int64_t rows = min64(WINO_OUT, s->out[1] - p.y), columns = min64(WINO_OUT, s->out[2] - p.x);
        if (begin == NULL) begin = out;
        (is_transformed ? transform_back : copy_sums)(products + t * LANES, b->product, start, out, row, rows, columns);
        if (t + 1 == count || p.x + columns == s->out[2]) {
            finish_rows(&b->finish, begin, rows, row, out + columns * LANES - begin);
            begin = NULL;
        }
    }
}

/* -- all ----------------------------------------------------------------------------------------------------------- */

static int32_t run_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const blocked* b = (const blocked*)argument;
    float* data = (float*)worker->scratch;
    float* products = data + WINO_POINTS * b->point;
    float* taps = products + WINO_POINTS * b->product;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t part = unit % b->parts, group = unit / b->parts % b->s->groups;
        int64_t first = unit / b->parts / b->s->groups * b->panel, count = min64(b->panel, b->tiles - first);
        int64_t last = blocked_part_begin(b->vectors, part + 1, b->parts);
        int is_transformed = hold_panel(b, worker, unit / b->parts, group, first, count);
        for (int64_t v = blocked_part_begin(b->vectors, part, b->parts); v < last; v += TILE_VECTORS) {
            int64_t vector = group * b->vectors + v;
            int vectors = (int)min64(TILE_VECTORS, last - v);
            if (is_transformed) {
                multiply(b, vector, vectors, last - v - vectors, count, data, products);
            } else {
                restore_taps(b, vector, vectors, taps);
                multiply_directly(b, vectors, count, taps, data, products);
            }
            for (int i = 0; i < vectors; i++) {
                store(b, vector + i, first, count, is_transformed, products + i * b->panel * LANES);
            }
        }
    }
    return OPFORGE_OK;
}

static int32_t run_blocked(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays) {
    const conv_shape* s = &plan->shape;
    blocked b = plan_tiles(s, call->host->threads(call));
    int64_t elements = s->n * s->groups * s->in_channels * conv_volume(s->in);
    int64_t taps = WINO_TAPS * WINO_TAPS * TILE_VECTORS * s->in_channels * LANES;
    b.arrays = arrays;
    b.held = held_by_workers(call, call->host->threads(call));
    if (b.held == NULL) return OPFORGE_NO_MEMORY;
    b.limit = wino_limit(wino_size((const float*)arrays->data, elements), WINO_TAPS * WINO_TAPS * (double)s->in_channels);
    b.finish = finish_of(call, arrays->epilogue, (const float*)arrays->out, conv_volume(s->out), LANES);
    double work = (double)s->in_channels * (double)s->out_channels * (double)b.panel * WINO_POINTS / (double)b.parts;
    return call->host->parallel(call, b.panels * s->groups * b.parts, (int64_t)(2e5 / work) + 1,
                                (WINO_POINTS * (b.point + b.product) + taps) * (int64_t)sizeof(float), run_part, &b);
}

void blocked_winograd_plan(conv_plan* plan) {
    plan->finishes = 1;
    plan->run = run_blocked;
}
