/* Gradient of weights with enough channels to fill vectors. Blocks of data and of the results' gradient are copied
 * with interleaved channels; the contribution of a tap is then a product of the two, and all taps share one copy.
 * Work is divided by groups, panels of channels, and slots of blocks with separate sums. The number of slots
 * depends only on the sizes, so that the summation order does not depend on the number of threads. */
#include <stdlib.h>

#include "interleave.h"
#include "kernels.h"
#include "lines.h"
#include "sizes.h"

enum {
    POSITIONS = 256,        /* maximum positions of a block */
    MAX_INPUT = 1 << 13, /* maximum data positions of a block: 1 MiB */
    UNITS = 16,          /* units of work, if possible */
    MAX_SUMS = 1 << 20, /* elements of all slots except the first */
};

typedef struct reduction {
    const conv_shape* s;
    const float *data, *out;
    float *weight, *sums;
    int64_t taps, panels;             /* panels of channels in a group */
    int64_t images, bands, segments;  /* images of a block; parts that its lines, and each line, are divided into */
    int64_t blocks, slots, shares;    /* shares of the panels: any number */
    int64_t seen_y, seen_x;           /* maximum input rows and columns of a block */
} reduction;

/* A block: some lines of some images. */
typedef struct block {
    int64_t image, images, y, lines, x, length;
} block;

/* Elements of the sums of one panel of channels, and of all. */
static int64_t panel_size(const reduction* r) { return r->s->out_channels * r->taps * PANEL; }

static int64_t sums_size(const reduction* r) { return r->s->groups * r->panels * panel_size(r); }

static int64_t seen(const conv_shape* s, int axis, int64_t positions) {
    return (positions - 1) * s->stride[axis] + (s->kernel[axis] - 1) * s->dilate[axis] + 1;
}

static reduction plan_reduction(const conv_shape* s, int64_t threads) {
    int64_t height = s->out[1], width = s->out[2];
    reduction r = {.s = s, .taps = conv_volume(s->kernel), .panels = ceil_div(s->in_channels, PANEL)};
    r.images = width * height < POSITIONS ? min64(POSITIONS / (width * height), s->n) : 1;
    r.segments = ceil_div(width, POSITIONS);
    r.bands = r.segments > 1 ? height : ceil_div(height, POSITIONS / width);
    r.blocks = ceil_div(s->n, r.images) * r.bands * r.segments;
    r.slots = min64(min64(ceil_div(UNITS, s->groups), ceil_div(r.blocks, 2)), 1 + MAX_SUMS / sums_size(&r));
    r.shares = min64(r.panels, ceil_div(4 * threads, s->groups * r.slots));
    r.seen_y = seen(s, 1, ceil_div(height, r.bands));
    r.seen_x = seen(s, 2, ceil_div(width, r.segments));
    return r;
}

static block find_block(const reduction* r, int64_t index) {
    int64_t segment = index % r->segments, band = index / r->segments % r->bands;
    block b = {
        .image = index / r->segments / r->bands * r->images,
        .y = r->s->out[1] * band / r->bands, .x = r->s->out[2] * segment / r->segments,
    };
    b.images = min64(r->images, r->s->n - b.image);
    b.lines = r->s->out[1] * (band + 1) / r->bands - b.y;
    b.length = r->s->out[2] * (segment + 1) / r->segments - b.x;
    return b;
}

/* -- copies of a block ------------------------------------------------------------------------------------ */

/* Copy the results' gradient: tiles, then positions. */
static void copy_out(const reduction* r, const block* b, int64_t group, float* to) {
    const conv_shape* s = r->s;
    int64_t plane = conv_volume(s->out), n = b->lines * b->length;
    for (int64_t tile = 0; tile < tile_count(s->out_channels); tile++) {
        int64_t first = tile_begin(s->out_channels, tile), rows = tile_begin(s->out_channels, tile + 1) - first;
        for (int64_t image = b->image; image < b->image + b->images; image++, to += n * rows) {
            const float* from = r->out + ((image * s->groups + group) * s->out_channels + first) * plane;
            interleave_tile(from + b->y * s->out[2] + b->x, plane, rows, n, to);
        }
    }
}

/* Copy the input of a block for a panel of channels. */
static void copy_data(const reduction* r, const block* b, int64_t group, int64_t panel, float* to) {
    const conv_shape* s = r->s;
    int64_t plane = conv_volume(s->in), channels = s->in_channels - panel * PANEL;
    int64_t top = b->y * s->stride[1] - s->pad[1], left = b->x * s->stride[2] - s->pad[2];
    int64_t rows = seen(s, 1, b->lines), n = seen(s, 2, b->length);
    for (int64_t image = b->image; image < b->image + b->images; image++, to += r->seen_y * r->seen_x * PANEL) {
        const float* from = r->data + ((image * s->groups + group) * s->in_channels + panel * PANEL) * plane;
        for (int64_t y = 0; y < rows; y++) {
            int inside = top + y >= 0 && top + y < s->in[1];
            interleave_row(inside ? from + (top + y) * s->in[2] : NULL, plane, s->in[2], channels, left, n,
                            to + y * r->seen_x * PANEL);
        }
    }
}

/* -- units ------------------------------------------------------------------------------------------------ */

/* Add the contribution of a block to the sums of one panel. */
static void add_panel(const reduction* r, const lines* l, const float* out, const float* data, float* sums, int add) {
    const conv_shape* s = r->s;
    for (int64_t tile = 0; tile < tile_count(s->out_channels); tile++) {
        int64_t rows = tile_begin(s->out_channels, tile + 1) - tile_begin(s->out_channels, tile);
        for (int64_t tap = 0; tap < r->taps; tap++, sums += rows * PANEL) {
            int64_t y = tap / s->kernel[2] * s->dilate[1], x = tap % s->kernel[2] * s->dilate[2];
            add_up_lines(rows, l, out, data + (y * r->seen_x + x) * PANEL, sums, add);
        }
        out += l->count * l->length * rows;
    }
}

static void run_block(const reduction* r, const block* b, int64_t group, int64_t first, int64_t last, float* sums,
                      int add, float* scratch) {
    int64_t begins[POSITIONS];
    lines l = {begins, b->images * b->lines, b->length, r->s->stride[2] * PANEL};
    for (int64_t line = 0; line < l.count; line++) {
        int64_t image = line / b->lines, y = line % b->lines * r->s->stride[1];
        begins[line] = (image * r->seen_y + y) * r->seen_x * PANEL;
    }
    float *data = scratch, *out = scratch + r->images * r->seen_y * r->seen_x * PANEL;
    copy_out(r, b, group, out);
    for (int64_t panel = first; panel < last; panel++) {
        copy_data(r, b, group, panel, data);
        add_panel(r, &l, out, data, sums + panel * panel_size(r), add);
    }
}

static int32_t run_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const reduction* r = (const reduction*)argument;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t share = unit % r->shares, slot = unit / r->shares % r->slots, group = unit / r->shares / r->slots;
        float* sums = r->sums + (slot * r->s->groups + group) * r->panels * panel_size(r);
        int64_t first = r->blocks * slot / r->slots, last = r->blocks * (slot + 1) / r->slots;
        for (int64_t index = first; index < last; index++) {
            block b = find_block(r, index);
            run_block(r, &b, group, r->panels * share / r->shares, r->panels * (share + 1) / r->shares, sums,
                      index > first, (float*)worker->scratch);
        }
    }
    return OPFORGE_OK;
}

/* -- from sums to weights ---------------------------------------------------------------------------------- */

/* Reduce one filter's sums of a panel under one tap over the slots, and store them in the weights. */
static void store(const reduction* r, const float* sums, int64_t channels, float* to) {
    vec left = V(load)(sums), right = V(load)(sums + LANES);
    float all[PANEL];
    for (int64_t slot = 1; slot < r->slots; slot++) {
        left += V(load)(sums + slot * sums_size(r));
        right += V(load)(sums + slot * sums_size(r) + LANES);
    }
    V(store)(all, left);
    V(store)(all + LANES, right);
    for (int64_t c = 0; c < channels; c++) to[c * r->taps] = all[c];
}

/* Store the tiles of panels [begin, end). */
static void store_part(void* argument, int64_t begin, int64_t end) {
    const reduction* r = (const reduction*)argument;
    int64_t filters = r->s->out_channels, channels = r->s->in_channels, count = tile_count(filters);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t panel = unit / count % r->panels, group = unit / count / r->panels, tile = unit % count;
        int64_t first = tile_begin(filters, tile), rows = tile_begin(filters, tile + 1) - first;
        const float* sums = r->sums + (group * r->panels + panel) * panel_size(r) + first * r->taps * PANEL;
        float* to = r->weight + ((group * filters + first) * channels + panel * PANEL) * r->taps;
        for (int64_t row = 0; row < r->taps * rows; row++) {
            store(r, sums + row * PANEL, min64(PANEL, channels - panel * PANEL),
                  to + row % rows * channels * r->taps + row / rows);
        }
    }
}

/* -- all --------------------------------------------------------------------------------------------------- */

static int32_t run_backward(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays) {
    const conv_shape* s = &plan->shape;
    reduction r = *(const reduction*)plan->context;
    r.s = s;
    r.data = (const float*)arrays->data;
    r.out = (const float*)arrays->out;
    r.weight = (float*)arrays->weight;
    r.sums = (float*)arrays->workspace;
    int64_t scratch = r.images * r.seen_y * r.seen_x * PANEL + s->out_channels * POSITIONS + LANES;
    double work = (double)sums_size(&r) * (double)s->n * (double)conv_volume(s->out) /
                  (double)(s->groups * r.slots * r.shares);
    int32_t status = call->host->parallel(call, s->groups * r.slots * r.shares, (int64_t)(2e5 / work) + 1,
                                          scratch * (int64_t)sizeof(float), run_part, &r);
    if (status) return status;
    int64_t tiles = s->groups * r.panels * tile_count(s->out_channels), grain = 8000 / (TILE_ROWS * PANEL * r.taps) + 1;
    call->host->parallel_for(call, tiles, grain, store_part, &r);
    return OPFORGE_OK;
}

int backward_lines_applies(const conv_shape* s) {
    int64_t most = INT32_MAX / LANES;
    if (s->in_channels * 10 < ceil_div(s->in_channels, PANEL) * PANEL * 7 || s->out_channels < 4) return 0;
    if (conv_volume(s->in) > most || conv_volume(s->out) > most) return 0;
    reduction r = plan_reduction(s, 1);
    return (double)r.images * (double)r.seen_y * (double)r.seen_x <= MAX_INPUT;
}

int32_t backward_lines_plan(opforge_call* call, conv_plan* plan) {
    reduction* r = (reduction*)malloc(sizeof *r);
    if (r == NULL) return OPFORGE_NO_MEMORY;
    *r = plan_reduction(&plan->shape, call->host->threads(call));
    plan->workspace_bytes = r->slots * sums_size(r) * (int64_t)sizeof(float);
    plan->context = r;
    plan->end = free;
    plan->run = run_backward;
    return OPFORGE_OK;
}
