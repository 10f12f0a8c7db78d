/* Panels of tiles: the transform of data, and products with filters. */
#include "winograd_panel.h"

#include "winograd_range.h"

/* -- the data -------------------------------------------------------------------------------------------- */

/* Load row `i` of one channel of a vector of tiles. */
OF_INLINE void load_row(const float* lines, const int32_t* seen, int i, vec x[2 * QUAD]) {
    V(load_quads)(x, lines + i * LINE, seen);
    V(load_quads)(x + QUAD, lines + i * LINE + QUAD, seen);
}

/* Transform one channel of a vector of tiles; return the magnitudes including its own. */
OF_INLINE magnitudes transform_data(const float* lines, const int32_t* seen, magnitudes known, float* to,
                                    int64_t point) {
    vec rows[WINO_IN][WINO_IN];
    for (int i = 0; i < WINO_IN; i++) {
        vec x[2 * QUAD];
        load_row(lines, seen, i, x);
        wino_data(x, rows[i]);
        known = wino_row_magnitudes(known, rows[i]);
    }
    wino_store_data(rows, to, point);
    return known;
}

/* Copy one channel of a vector of tiles without a transform. */
OF_INLINE void copy_data(const float* lines, const int32_t* seen, float* to, int64_t point) {
    for (int i = 0; i < WINO_IN; i++) {
        vec x[2 * QUAD];
        load_row(lines, seen, i, x);
        for (int j = 0; j < WINO_IN; j++) V(store)(to + (i * WINO_IN + j) * point, x[j]);
    }
}

static void copy_strips(const product* p, const wino_panel* w, int64_t channel, float* lines) {
    for (int i = 0; i < w->count; i++) {
        wino_copy_strip(&p->image_view, &w->strips[i], p->image_view.data + channel * p->image_view.plane, lines);
    }
}

static void copy_panel(const product* p, const wino_panel* w, float* lines, float* to) {
    for (int64_t c = 0; c < p->channels; c++) {
        copy_strips(p, w, c, lines);
        for (int lane = 0; lane < PANEL; lane += LANES) {
            copy_data(lines, w->seen + lane, to + c * PANEL + lane, wino_point(p->channels));
        }
    }
}

int wino_transform(const product* p, const wino_panel* w, float limit, float* lines, float* to) {
    int64_t point = wino_point(p->channels);
    magnitudes known = {0};
    for (int64_t c = 0; c < p->channels; c++) {
        copy_strips(p, w, c, lines);
        for (int lane = 0; lane < PANEL; lane += LANES) {
            known = transform_data(lines, w->seen + lane, known, to + c * PANEL + lane, point);
        }
    }
    if (!magnitudes_exceed(known, limit)) return 1;
    copy_panel(p, w, lines, to);
    return 0;
}

float wino_limit_of(const product* p) {
    float size = wino_size(p->image_view.data, p->images * p->image_view.image);
    return wino_limit(size, WINO_TAPS * WINO_TAPS * (double)p->channels);
}

/* -- the results ------------------------------------------------------------------------------------------ */

OF_INLINE void store_row(const wino_panel* w, int lane, int row, const vec quads[QUAD], float* out,
                         int64_t out_row) {
#pragma GCC unroll 4
    for (int i = 0; i < QUAD; i++) {
#pragma GCC unroll 4
        for (int q = 0; q < QUADS; q++) {
            int tile = lane + QUAD * q + i;
            of_quad results = V(quad)(quads[i], q);
            if (row >= w->rows[tile]) continue;
            float* to = out + w->target[tile] + row * out_row;
            if (w->columns[tile] == WINO_OUT) memcpy(to, &results, sizeof results);
            else memcpy(to, &results, (size_t)w->columns[tile] * sizeof(float));
        }
    }
}

/* Store one filter's results for a vector of tiles. */
OF_INLINE void store_results(const wino_panel* w, int lane, vec results[WINO_OUT][WINO_OUT], float* out,
                             int64_t out_row) {
    for (int i = 0; i < WINO_OUT; i++) {
        V(transpose_quads)(results[i]);
        store_row(w, lane, i, results[i], out, out_row);
    }
}

/* Transform one filter's products back for a vector of tiles. */
OF_INLINE void transform_back(const wino_panel* w, int lane, const float* products, int64_t point, float bias,
                              float* out, int64_t out_row) {
    vec rows[WINO_IN][WINO_OUT], results[WINO_OUT][WINO_OUT];
    wino_load_products(products, point, rows);
    for (int j = 0; j < WINO_OUT; j++) {
        vec y[WINO_OUT];
        wino_column(rows, j, y);
        for (int i = 0; i < WINO_OUT; i++) results[i][j] = y[i] + V(splat)(bias);
    }
    store_results(w, lane, results, out, out_row);
}

/* Copy one filter's sums for a vector of tiles to the results. */
OF_INLINE void store_sums(const wino_panel* w, int lane, const float* sums, int64_t point, float bias, float* out,
                          int64_t out_row) {
    vec results[WINO_OUT][WINO_OUT];
    for (int i = 0; i < WINO_OUT; i++) {
        for (int j = 0; j < WINO_OUT; j++) {
            results[i][j] = V(load)(sums + (i * WINO_OUT + j) * point) + V(splat)(bias);
        }
    }
    store_results(w, lane, results, out, out_row);
}

static float bias_of(const product* p, int64_t filter) { return p->bias == NULL ? 0 : p->bias[filter]; }

/* Apply the epilogue to one filter's results, which are contiguous in rows of strips. */
static void finish_strips(const finish* f, const wino_panel* w, float* out, int64_t out_row) {
    for (int i = 0; f->call != NULL && i < w->count; i++) {
        int first = w->strips[i].first, last = w->strips[i].last;
        finish_rows(f, out + w->target[first], w->rows[first], out_row,
                    (last - first) * WINO_OUT + w->columns[last]);
    }
}

void wino_filters(const product* p, const wino_panel* w, int64_t first, int64_t rows, const float* weights,
                  const float* data, float* products) {
    int64_t point = wino_point(TILE_ROWS);
    for (int i = 0; i < WINO_POINTS; i++) {
        run_tile(rows, p->channels, weights + i * p->channels * rows, data + i * wino_point(p->channels),
                    products + i * point, PANEL, NULL, 0);
    }
    for (int64_t r = 0; r < rows; r++) {
        float* out = p->target.data + (first + r) * p->target.plane;
        for (int lane = 0; lane < PANEL; lane += LANES) {
            transform_back(w, lane, products + r * PANEL + lane, point, bias_of(p, first + r), out, p->target.row);
        }
        finish_strips(&p->finish, w, out, p->target.row);
    }
}

/* Add the nine taps of result (y, x) of each tile. */
static void add_taps(const product* p, int y, int x, int64_t rows, const float* taps, const float* data, float* sums) {
    for (int ty = 0; ty < WINO_TAPS; ty++) {
        for (int tx = 0; tx < WINO_TAPS; tx++, taps += p->channels * rows) {
            const float* seen = data + ((y + ty) * WINO_IN + x + tx) * wino_point(p->channels);
            run_tile(rows, p->channels, taps, seen, sums, PANEL, NULL, ty + tx > 0);
        }
    }
}

void wino_filters_directly(const product* p, const wino_panel* w, int64_t first, int64_t rows, const float* taps,
                           const float* data, float* products) {
    int64_t point = wino_point(TILE_ROWS);
    for (int i = 0; i < WINO_OUT * WINO_OUT; i++) {
        add_taps(p, i / WINO_OUT, i % WINO_OUT, rows, taps, data, products + i * point);
    }
    for (int64_t r = 0; r < rows; r++) {
        float* out = p->target.data + (first + r) * p->target.plane;
        for (int lane = 0; lane < PANEL; lane += LANES) {
            store_sums(w, lane, products + r * PANEL + lane, point, bias_of(p, first + r), out, p->target.row);
        }
        finish_strips(&p->finish, w, out, p->target.row);
    }
}
