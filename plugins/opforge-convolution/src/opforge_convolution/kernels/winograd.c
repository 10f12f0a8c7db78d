/* Winograd's convolution, one panel of tiles at a time: the data of all channels are transformed into the worker's
 * memory and multiplied by all filters, whose transformed weights stream from the outer caches. */
#include "winograd.h"

#include "sizes.h"
#include "winograd_panel.h"

typedef struct blocks {
    const product* p;
    const weight_view* weights;  /* plain weights */
    float limit;                 /* of transformed data */
    int64_t panels;              /* of one group */
    int64_t filter_tiles, parts; /* tiles of filters, and the parts they are divided into */
} blocks;

static blocks plan_blocks(opforge_call* call, const product* p, const weight_view* weights) {
    blocks b = {.p = p, .weights = weights, .limit = wino_limit_of(p), .panels = wino_panels(p), .filter_tiles = tile_count(p->filters)};
    int64_t threads = call->host->threads(call);
    int64_t parts = threads == 1 ? 1 : ceil_div(2 * threads, b.panels * p->groups);
    b.parts = parts < b.filter_tiles ? parts : b.filter_tiles;
    return b;
}

static int32_t run_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const blocks* b = (const blocks*)argument;
    float* lines = (float*)worker->scratch;
    float* products = lines + WINO_LINES;
    float* data = products + wino_product_count();
    float* taps = data + wino_data_count(b->p->channels);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t part = unit % b->parts, panel = unit / b->parts;
        product p = product_of_group(b->p, panel / b->panels, WINO_POINTS);
        wino_panel w;
        wino_find(&w, &p, panel % b->panels);
        int is_transformed = wino_transform(&p, &w, b->limit, lines, data);
        int64_t last = b->filter_tiles * (part + 1) / b->parts;
        for (int64_t tile = b->filter_tiles * part / b->parts; tile < last; tile++) {
            int64_t first = tile_begin(p.filters, tile), rows = tile_begin(p.filters, tile + 1) - first;
            if (is_transformed) {
                wino_filters(&p, &w, first, rows, p.weights + first * p.channels * WINO_POINTS, data, products);
            } else {
                wino_pack_taps(b->weights, panel / b->panels, first, rows, taps);
                wino_filters_directly(&p, &w, first, rows, taps, data, products);
            }
        }
    }
    return OPFORGE_OK;
}

int64_t winograd_workspace(const product* p) { return p->groups * p->filters * p->channels * WINO_POINTS; }

int32_t winograd_run(opforge_call* call, const product* p, const weight_view* weights, float* workspace) {
    product packed = *p;
    packed.weights = workspace;
    blocks b = plan_blocks(call, &packed, weights);
    int64_t scratch = WINO_LINES + wino_product_count() + wino_data_count(p->channels) + wino_taps_count(p->channels);
    double work = (double)p->channels * (double)p->filters * PANEL * WINO_POINTS / (double)b.parts;
    wino_pack(call, weights, workspace);
    return call->host->parallel(call, p->groups * b.panels * b.parts, (int64_t)(2e5 / work) + 1,
                                scratch * (int64_t)sizeof(float), run_part, &b);
}
