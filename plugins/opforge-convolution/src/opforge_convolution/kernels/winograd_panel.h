/* A panel of tiles in Winograd's convolution. */
#ifndef OPFORGE_CONVOLUTION_WINOGRAD_PANEL_H
#define OPFORGE_CONVOLUTION_WINOGRAD_PANEL_H

#include "winograd_tiles.h"

/* Elements from one of the 36 points of `rows` rows to the next. Not a power of two, so that the points
 * of a channel do not meet in the caches. */
static inline int64_t wino_point(int64_t rows) { return rows * PANEL + PANEL; }

enum { WINO_LINES = WINO_IN * LINE }; /* elements of memory that the transform of data works in */

/* Elements of a panel's transformed data, and of the products of a tile of filters with them. */
static inline int64_t wino_data_count(int64_t channels) { return WINO_POINTS * wino_point(channels); }
static inline int64_t wino_product_count(void) { return WINO_POINTS * wino_point(TILE_ROWS); }

/* Elements of the weights of a tile of filters, as they are. */
static inline int64_t wino_taps_count(int64_t channels) { return WINO_TAPS * WINO_TAPS * TILE_ROWS * channels; }

/* Transform the data of all channels. Where an element's transform exceeds `limit` bring the data to the same places
 * as they are, and return 0. */
int wino_transform(const product* p, const wino_panel* w, float limit, float* lines, float* to);

/* Results of the filters [first, first + rows), a tile of them: 36 products, and the transform back; */
void wino_filters(const product* p, const wino_panel* w, int64_t first, int64_t rows, const float* weights,
                  const float* data, float* products);

/* or, of data as they are, with weights of `wino_pack_taps`, 9 products for each of 16 results. */
void wino_filters_directly(const product* p, const wino_panel* w, int64_t first, int64_t rows, const float* taps,
                           const float* data, float* products);

/* The limit of a product's data. */
float wino_limit_of(const product* p);

#endif
