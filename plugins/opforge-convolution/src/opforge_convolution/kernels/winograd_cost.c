/* Cost model of Winograd's convolution, and the choice of its loop order. */
#include <stdlib.h>

#include "winograd.h"
#include "winograd_panel.h"

enum { MAX_CHANNELS = 1 << 11 }; /* a thread holds the transformed data of all of them, 9 MiB */

int winograd_is_allowed(void) {
    const char* setting = getenv("OPFORGE_CONVOLUTION_WINOGRAD");
    return setting == NULL || strcmp(setting, "0") != 0;
}

/* Costs of one group in products of vectors. As measured, transforms cost about 300 products for a channel or
 * filter of LANES tiles, and 80 for a filter's channel. */
double winograd_share(const product* p) {
    const image_view* seen = &p->image_view;
    if (seen->taps_y != WINO_TAPS || seen->taps_x != WINO_TAPS || seen->stride_y != 1 || seen->stride_x != 1 ||
        seen->dilate_y != 1 || seen->dilate_x != 1 || p->target.step != 1 ||
        p->channels > MAX_CHANNELS || !winograd_is_allowed()) {
        return INFINITY;
    }
    double tiles = 2 * (double)wino_panels(p);
    double positions = 2 * (double)ceil_div(p->images * image_positions(seen), PANEL);
    double channels = (double)p->channels, filters = (double)p->filters;
    double cost = tiles * (WINO_POINTS * channels * filters + 300 * (channels + filters)) + 80 * channels * filters;
    return cost / (positions * WINO_TAPS * WINO_TAPS * channels * filters);
}

int winograd_is_faster(const product* p) { return winograd_share(p) < 0.9; }

int winograd_is_deep(const product* p) {
    return 2 * (double)wino_panels(p) * (double)wino_data_count(p->channels) <
           (double)p->filters * (double)p->channels * WINO_POINTS;
}
