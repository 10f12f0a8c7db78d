/* Winograd's convolution of small images with many channels, for which transformed weights would be far larger
 * than transformed data. All data are transformed first; then each tile of filters is transformed into the
 * worker's memory and multiplied by all panels of data. */
#include "winograd.h"

#include "winograd_panel.h"

typedef struct layers {
    const product* p;
    const weight_view* weights;
    float* data;    /* transformed data: panels of each group */
    float* direct;  /* for each panel, 1 if it could not be transformed, else 0 */
    float limit;    /* of transformed data */
    int64_t panels; /* of one group */
} layers;

static float* panel_data(const layers* l, int64_t group, int64_t panel) {
    return l->data + (group * l->panels + panel) * wino_data_count(l->p->channels);
}

static int32_t transform_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const layers* l = (const layers*)argument;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t group = unit / l->panels, panel = unit % l->panels;
        product p = product_of_group(l->p, group, WINO_POINTS);
        wino_panel w;
        wino_find(&w, &p, panel);
        float* to = panel_data(l, group, panel);
        l->direct[unit] = wino_transform(&p, &w, l->limit, (float*)worker->scratch, to) ? 0 : 1;
    }
    return OPFORGE_OK;
}

static int32_t filter_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const layers* l = (const layers*)argument;
    int64_t filter_tiles = tile_count(l->p->filters);
    float* products = (float*)worker->scratch;
    float* weights = products + wino_product_count();
    float* taps = weights + TILE_ROWS * l->p->channels * WINO_POINTS;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t group = unit / filter_tiles, tile = unit % filter_tiles;
        product p = product_of_group(l->p, group, WINO_POINTS);
        int64_t first = tile_begin(p.filters, tile), rows = tile_begin(p.filters, tile + 1) - first;
        int has_taps = 0;
        wino_pack_tile(l->weights, group, first, rows, weights);
        for (int64_t panel = 0; panel < l->panels; panel++) {
            const float* data = panel_data(l, group, panel);
            wino_panel w;
            wino_find(&w, &p, panel);
            if (l->direct[group * l->panels + panel] == 0) {
                wino_filters(&p, &w, first, rows, weights, data, products);
                continue;
            }
            if (!has_taps) wino_pack_taps(l->weights, group, first, rows, taps);
            has_taps = 1;
            wino_filters_directly(&p, &w, first, rows, taps, data, products);
        }
    }
    return OPFORGE_OK;
}

int64_t winograd_deep_workspace(const product* p) {
    return p->groups * wino_panels(p) * (wino_data_count(p->channels) + 1);
}

int32_t winograd_deep_run(opforge_call* call, const product* p, const weight_view* weights, float* workspace) {
    int64_t panels = wino_panels(p), data = p->groups * panels * wino_data_count(p->channels);
    layers l = {p, weights, workspace, workspace + data, wino_limit_of(p), panels};
    int32_t status = call->host->parallel(call, p->groups * l.panels, 1, WINO_LINES * (int64_t)sizeof(float),
                                          transform_part, &l);
    if (status) return status;
    int64_t scratch = wino_product_count() + TILE_ROWS * p->channels * WINO_POINTS + wino_taps_count(p->channels);
    double work = (double)l.panels * (double)p->channels * TILE_ROWS * PANEL * WINO_POINTS;
    return call->host->parallel(call, p->groups * tile_count(p->filters), (int64_t)(2e5 / work) + 1,
                                scratch * (int64_t)sizeof(float), filter_part, &l);
}
