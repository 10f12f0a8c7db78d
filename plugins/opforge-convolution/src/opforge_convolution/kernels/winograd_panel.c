/* What is done with a panel of tiles: its data are transformed, and filters go over it. */
#include "winograd_panel.h"

#include "quads.h"

/* -- the data -------------------------------------------------------------------------------------------- */

/* Transform one channel of a vector of tiles. */
FORCE_INLINE void transform_data(const float* lines, const int32_t* seen, float* to, int64_t point) {
    vec rows[WINO_IN][WINO_IN];
    for (int i = 0; i < WINO_IN; i++) {
        vec x[2 * QUAD];
        quads_load(x, lines + i * LINE, seen);
        quads_load(x + QUAD, lines + i * LINE + QUAD, seen);
        wino_data(x, rows[i]);
    }
    wino_store_data(rows, to, point);
}

void wino_transform(const product* p, const wino_panel* w, float* lines, float* to) {
    int64_t point = wino_point(p->channels);
    for (int64_t c = 0; c < p->channels; c++) {
        for (int i = 0; i < w->count; i++) {
            wino_copy_strip(&p->picture, &w->strips[i], p->picture.data + c * p->picture.plane, lines);
        }
        for (int lane = 0; lane < PANEL; lane += LANES) {
            transform_data(lines, w->seen + lane, to + c * PANEL + lane, point);
        }
    }
}

/* -- the results ------------------------------------------------------------------------------------------ */

FORCE_INLINE void store_row(const wino_panel* w, int lane, int row, const vec quads[QUAD], float* out,
                            int64_t out_row) {
#pragma GCC unroll 4
    for (int i = 0; i < QUAD; i++) {
#pragma GCC unroll 4
        for (int q = 0; q < QUADS; q++) {
            int tile = lane + QUAD * q + i;
            quad results = quads_take(quads[i], q);
            if (row >= w->rows[tile]) continue;
            float* to = out + w->target[tile] + row * out_row;
            if (w->columns[tile] == WINO_OUT) *(loose_quad*)to = results;
            else memcpy(to, &results, (size_t)w->columns[tile] * sizeof(float));
        }
    }
}

/* Transform one filter's products for a vector of tiles back. */
FORCE_INLINE void transform_back(const wino_panel* w, int lane, const float* products, int64_t point, float bias,
                                 float* out, int64_t out_row) {
    vec rows[WINO_IN][WINO_OUT], results[WINO_OUT][WINO_OUT];
    wino_load_products(products, point, rows);
    for (int j = 0; j < WINO_OUT; j++) {
        vec y[WINO_OUT];
        wino_column(rows, j, y);
        for (int i = 0; i < WINO_OUT; i++) results[i][j] = y[i] + vec_of(bias);
    }
    for (int i = 0; i < WINO_OUT; i++) {
        quads_transpose(results[i]);
        store_row(w, lane, i, results[i], out, out_row);
    }
}

/* Take one filter's results through the epilogue, which lie side by side in rows of strips. */
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
        tiles[rows](p->channels, weights + i * p->channels * rows, data + i * wino_point(p->channels),
                    products + i * point, PANEL, NULL, 0);
    }
    for (int64_t r = 0; r < rows; r++) {
        float* out = p->target.data + (first + r) * p->target.plane;
        for (int lane = 0; lane < PANEL; lane += LANES) {
            transform_back(w, lane, products + r * PANEL + lane, point, p->bias == NULL ? 0 : p->bias[first + r], out,
                           p->target.row);
        }
        finish_strips(&p->finish, w, out, p->target.row);
    }
}
