/* A panel of tiles in Winograd's convolution. */
#ifndef OPFORGE_CONVOLUTION_WINOGRAD_PANEL_H
#define OPFORGE_CONVOLUTION_WINOGRAD_PANEL_H

#include "winograd_tiles.h"

/* The distance between the 36 points of `rows` rows. Not a power of two, to avoid cache conflicts between the
 * points of a channel. */
static inline int64_t wino_point(int64_t rows) { return rows * PANEL + PANEL; }

enum { WINO_LINES = WINO_IN * LINE }; /* elements of scratch memory of the data transform */

/* Elements of a panel's transformed data, and of its products with a tile of filters. */
static inline int64_t wino_data_count(int64_t channels) { return WINO_POINTS * wino_point(channels); }
static inline int64_t wino_product_count(void) { return WINO_POINTS * wino_point(TILE_ROWS); }

/* Elements of the plain weights of a tile of filters. */
static inline int64_t wino_taps_count(int64_t channels) { return WINO_TAPS * WINO_TAPS * TILE_ROWS * channels; }

/* Transform the data of all channels. If a transformed element exceeds `limit`, copy the plain data instead and
 * return 0. */
int wino_transform(const product* p, const wino_panel* w, float limit, float* lines, float* to);

/* Compute the results of the filters [first, first + rows), one tile: 36 products, and the inverse transform; */
void wino_filters(const product* p, const wino_panel* w, int64_t first, int64_t rows, const float* weights,
                  const float* data, float* products);

/* or, for plain data, with the weights of `wino_pack_taps`, 9 products for each of 16 results. */
void wino_filters_directly(const product* p, const wino_panel* w, int64_t first, int64_t rows, const float* taps,
                           const float* data, float* products);

/* The limit of a product's data. */
float wino_limit_of(const product* p);

#endif
