/* The data divided into tiles of 6x6 that overlap by two, with one tile per lane. */
#ifndef OPFORGE_CONVOLUTION_WINOGRAD_TILES_H
#define OPFORGE_CONVOLUTION_WINOGRAD_TILES_H

#include "product.h"
#include "sizes.h"
#include "tile.h"
#include "winograd_transforms.h"

/* Horizontally adjacent tiles of an image. Their input is copied, with zeros around it, into six lines, in which
 * all strips of a panel are side by side. */
typedef struct strip {
    int64_t offset, y, x; /* of the first input element; it may be outside */
    int64_t at, length;   /* start and length in each of the six lines */
    int32_t first, last;  /* tiles of the panel */
} strip;

/* The tiles of a panel. */
typedef struct wino_panel {
    strip strips[PANEL];
    int count;
    int32_t seen[PANEL];       /* start of a tile's elements in the lines */
    int64_t target[PANEL];     /* start of a tile's results in a channel */
    int32_t rows[PANEL], columns[PANEL]; /* sizes of its results; 0: no such tile */
} wino_panel;

enum { LINE = PANEL * (2 * WINO_OUT + LANES) }; /* the maximum number of elements of strips */

static inline int64_t wino_tiles(int64_t positions) { return ceil_div(positions, WINO_OUT); }

static inline int32_t wino_rest(int64_t positions, int64_t tile) {
    return (int32_t)min64(positions - tile * WINO_OUT, WINO_OUT);
}

static inline void wino_add_strip(wino_panel* w, const image_view* p, int64_t image, int64_t ty, int64_t tx, int32_t first,
                                  int64_t n, int64_t* size) {
    int64_t y = ty * WINO_OUT - p->pad_y, x = tx * WINO_OUT - p->pad_x;
    int64_t length = (n * WINO_OUT + WINO_OUT + LANES - 1) / LANES * LANES;
    w->strips[w->count++] = (strip){image * p->image + y * p->width + x, y, x, *size, length, first, first + (int32_t)n - 1};
    *size += length;
}

static inline int64_t wino_panels(const product* p) {
    return ceil_div(p->images * wino_tiles(p->image_view.positions_y) * wino_tiles(p->image_view.positions_x), PANEL);
}

static inline void wino_find(wino_panel* w, const product* p, int64_t panel) {
    const image_view* seen = &p->image_view;
    int64_t across = wino_tiles(seen->positions_x), down = wino_tiles(seen->positions_y), size = 0;
    int64_t first = panel * PANEL, tiles = p->images * across * down;
    w->count = 0;
    for (int64_t lane = 0; lane < PANEL;) {
        int64_t tile = first + lane, image = tile / (across * down), ty = tile / across % down, tx = tile % across;
        int64_t n = across - tx < PANEL - lane ? across - tx : PANEL - lane, begin = size;
        if (tile >= tiles) {
            w->seen[lane] = 0;
            w->rows[lane++] = 0;
            continue;
        }
        wino_add_strip(w, seen, image, ty, tx, (int32_t)lane, n, &size);
        for (int64_t i = 0; i < n; i++, lane++, tx++) {
            w->seen[lane] = (int32_t)(begin + i * WINO_OUT);
            w->target[lane] = image * p->target.image + ty * WINO_OUT * p->target.row + tx * WINO_OUT;
            w->rows[lane] = wino_rest(seen->positions_y, ty);
            w->columns[lane] = wino_rest(seen->positions_x, tx);
        }
    }
}

/* Copy a strip of a channel into the lines, with 0 outside. */
OF_INLINE void wino_copy_strip(const image_view* p, const strip* s, const float* channel, float* lines) {
    for (int i = 0; i < WINO_IN; i++) {
        const float* from = channel + s->offset + i * p->width;
        int inside = s->y + i >= 0 && s->y + i < p->height;
        for (int64_t at = 0; at < s->length; at += LANES) {
            int64_t begin = -(s->x + at), end = p->width - (s->x + at);
            vec v = {0};
            if (begin < 0) begin = 0;
            if (end > LANES) end = LANES;
            if (inside && begin < end) {
                v = end - begin == LANES ? V(load)(from + at) : V(load_lanes)(v, from + at, 1, (int)begin, (int)end);
            }
            V(store)(lines + i * LINE + s->at + at, v);
        }
    }
}

#endif
