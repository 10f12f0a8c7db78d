/* Gradient of weights: rows of the results' gradient times panels of transposed lines, whose pairs are columns. Work
 * is divided by groups, ranges of filters, panels of lines, and slots of columns with separate sums. The number of
 * slots depends only on the sizes, so that the summation order does not depend on the number of threads. */
#include <opforge/brain.h>

#ifdef OF_BRAIN_PRODUCTS

#include <stdlib.h>

#include "brain.h"
#include "brain_lines.h"
#include "kernels.h"

enum {
    COLUMNS = 2 * OF_BRAIN_DEPTH, /* of a chunk */
    LINES = OF_BRAIN_COLUMNS,     /* of a panel */
    FILTERS = 512,                /* at most of a range: their part of a chunk fits in the L2 cache */
    SUMS = 1 << 17,               /* of a unit, which fit in the L2 cache */
    UNITS = 16,                   /* of work, if possible */
    MAX_SUMS = 1 << 22,           /* of all slots except the first */
};

typedef struct reduction {
    image_view data_view, out_view; /* without data */
    const uint16_t *data, *out;
    uint16_t* weight;
    float* sums;
    int64_t groups, filters, channels, lines; /* of one group */
    int64_t columns, chunks, panels;
    int64_t ranges, shares, slots; /* of filters, panels and chunks */
} reduction;

static int64_t sums_size(const reduction* r) { return r->groups * r->panels * r->filters * LINES; }

static reduction plan_reduction(const conv_shape* s) {
    reduction r = {
        .data_view = data_view(s, NULL), .out_view = out_view(s, NULL),
        .groups = s->groups, .filters = s->out_channels, .channels = s->in_channels,
        .lines = s->in_channels * conv_volume(s->kernel), .columns = s->n * conv_volume(s->out),
    };
    r.chunks = ceil_div(r.columns, COLUMNS);
    r.panels = ceil_div(r.lines, LINES);
    r.ranges = ceil_div(r.filters, FILTERS);
    r.shares = ceil_div(r.panels, max64(1, SUMS / (min64(r.filters, FILTERS) * LINES)));
    r.slots = min64(min64(ceil_div(UNITS, r.groups * r.ranges * r.shares), ceil_div(r.chunks, 2)),
                    1 + MAX_SUMS / sums_size(&r));
    return r;
}

/* -- units --------------------------------------------------------------------------------------------------------- */

/* Memory of a worker. */
typedef struct memory {
    uint16_t lines[LINES * COLUMNS], panel[LINES * COLUMNS];
    uint16_t out[]; /* of the filters of a range */
} memory;

/* Transpose lines, with pairs as elements. */
static void fill_panel(const uint16_t* lines, int64_t pairs, uint16_t* panel) {
    for (int64_t x = 0; x < pairs; x += LANES) {
        for (int64_t line = 0; line < LINES; line += LANES) {
            vec square[LANES];
            for (int i = 0; i < LANES; i++) square[i] = of_load_pairs(lines + (line + i) * COLUMNS + 2 * x, LANES);
            V(transpose)(square);
            for (int i = 0; i < LANES; i++) {
                *(of_pairs*)(panel + ((x + i) * LINES + line) * 2) = square[i];
            }
        }
    }
}

/* Add the contribution of a chunk of columns to the sums of panels [first, last), of `filters` filters. */
static void add_chunk(const reduction* r, int64_t chunk, int64_t group, int64_t filter, int64_t filters, int64_t first,
                      int64_t last, float* sums, memory* m) {
    const int64_t column = chunk * COLUMNS, pairs = ceil_div(min64(COLUMNS, r->columns - column), 2);
    const int64_t vectors = 2 * ceil_div(pairs, LANES);
    const uint16_t* data = r->data + group * r->channels * r->data_view.plane;
    const uint16_t* out = r->out + (group * r->filters + filter) * r->out_view.plane;
    brain_copy_lines(&r->out_view, out, column, r->columns, vectors, 0, filters, m->out, COLUMNS);
    for (int64_t panel = first; panel < last; panel++, sums += r->filters * LINES) {
        const int64_t line = panel * LINES, end = min64(line + LINES, r->lines);
        brain_copy_lines(&r->data_view, data, column, r->columns, vectors, line, end, m->lines, COLUMNS);
        memset(m->lines + (end - line) * COLUMNS, 0, (size_t)((line + LINES - end) * COLUMNS) * sizeof *m->lines);
        fill_panel(m->lines, pairs, m->panel);
        of_brain_rows(OF_BRAIN_VECTORS, m->out, COLUMNS, m->panel, pairs, sums, filters, NULL);
    }
}

static void run_unit(const reduction* r, int64_t unit, memory* m) {
    const int64_t slot = unit % r->slots, share = unit / r->slots % r->shares, rest = unit / r->slots / r->shares;
    const int64_t range = rest % r->ranges, group = rest / r->ranges;
    const int64_t filter = r->filters * range / r->ranges, filters = r->filters * (range + 1) / r->ranges - filter;
    const int64_t first = r->panels * share / r->shares, last = r->panels * (share + 1) / r->shares;
    float* sums = r->sums + slot * sums_size(r) + ((group * r->panels + first) * r->filters + filter) * LINES;
    for (int64_t panel = first; panel < last; panel++) {
        memset(sums + (panel - first) * r->filters * LINES, 0, (size_t)(filters * LINES) * sizeof *sums);
    }
    for (int64_t chunk = r->chunks * slot / r->slots; chunk < r->chunks * (slot + 1) / r->slots; chunk++) {
        add_chunk(r, chunk, group, filter, filters, first, last, sums, m);
    }
}

static int32_t run_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; unit++) run_unit((const reduction*)argument, unit, (memory*)worker->scratch);
    return OPFORGE_OK;
}

/* -- from sums to weights ------------------------------------------------------------------------------------------ */

/* Add up the slots' sums of a row of a panel, and round them. */
static void store_row(const reduction* r, const float* sums, int64_t n, uint16_t* to) {
    uint16_t rounded[LINES];
    for (int half = 0; half < LINES; half += 2 * LANES) {
        vec low = V(load)(sums + half), high = V(load)(sums + half + LANES);
        for (int64_t slot = 1; slot < r->slots; slot++) {
            low += V(load)(sums + slot * sums_size(r) + half);
            high += V(load)(sums + slot * sums_size(r) + half + LANES);
        }
        _mm512_storeu_si512(rounded + half, of_round_pairs(low, high));
    }
    memcpy(to, rounded, (size_t)n * sizeof *to);
}

/* Store the weights of the filters [begin, end) of all groups. */
static void store_part(void* argument, int64_t begin, int64_t end) {
    const reduction* r = (const reduction*)argument;
    for (int64_t filter = begin; filter < end; filter++) {
        const int64_t group = filter / r->filters;
        for (int64_t panel = 0; panel < r->panels; panel++) {
            const float* sums = r->sums + ((group * r->panels + panel) * r->filters + filter % r->filters) * LINES;
            store_row(r, sums, min64(LINES, r->lines - panel * LINES), r->weight + filter * r->lines + panel * LINES);
        }
    }
}

static int32_t run_weight(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays) {
    reduction r = *(const reduction*)plan->context;
    r.data = (const uint16_t*)arrays->data;
    r.out = (const uint16_t*)arrays->out;
    r.weight = (uint16_t*)arrays->weight;
    r.sums = (float*)arrays->workspace;
    const int64_t scratch = (int64_t)sizeof(memory) + ceil_div(r.filters, r.ranges) * COLUMNS * (int64_t)sizeof(uint16_t);
    const int64_t units = r.groups * r.ranges * r.shares * r.slots;
    const double work = (double)sums_size(&r) * (double)r.columns / (double)units;
    const int32_t status = call->host->parallel(call, units, (int64_t)(4e5 / work) + 1, scratch, run_part, &r);
    if (status) return status;
    call->host->parallel_for(call, r.groups * r.filters, 8000 / r.lines + 1, store_part, &r);
    return OPFORGE_OK;
}

int32_t brain_weight_plan(opforge_call* call, conv_plan* plan) {
    (void)call;
    if (winograd_weight_is_faster(&plan->shape)) return OPFORGE_OK;
    reduction* r = (reduction*)malloc(sizeof *r);
    if (r == NULL) return OPFORGE_NO_MEMORY;
    *r = plan_reduction(&plan->shape);
    plan->workspace_bytes = r->slots * sums_size(r) * (int64_t)sizeof(float);
    plan->context = r;
    plan->end = free;
    plan->run = run_weight;
    return OPFORGE_OK;
}

#endif
