/* Transformed weights. */
#include "tile.h"
#include "winograd.h"
#include "winograd_transforms.h"

typedef struct packing {
    const weight_view* view;
    float* packed;
} packing;

_Static_assert(TILE_ROWS * sizeof(float) <= sizeof(wino_rows), "the rows of a tile are one vector");

/* One channel of a tile's rows; their elements go to `to`, `step` apart. */
static void transform(const weight_view* w, const float* from, int64_t rows, float* to, int64_t step) {
    wino_rows taps[WINO_TAPS][WINO_TAPS] = {{{0}}}, half[WINO_IN][WINO_TAPS], points[WINO_IN];
    for (int64_t r = 0; r < rows; r++, from += w->row_step) {
        for (int ty = 0; ty < WINO_TAPS; ty++) {
            for (int tx = 0; tx < WINO_TAPS; tx++) taps[ty][tx][r] = from[ty * w->tap_y_step + tx * w->tap_x_step];
        }
    }
    for (int ty = 0; ty < WINO_TAPS; ty++) {
        wino_taps(taps[ty], points);
        for (int x = 0; x < WINO_IN; x++) half[x][ty] = points[x];
    }
    for (int x = 0; x < WINO_IN; x++) {
        wino_taps(half[x], points);
        for (int y = 0; y < WINO_IN; y++) memcpy(to + (y * WINO_IN + x) * step, &points[y], (size_t)rows * sizeof(float));
    }
}

void wino_pack_tile(const weight_view* view, int64_t group, int64_t first, int64_t rows, float* packed) {
    const float* from = view->data + group * view->group_step + first * view->row_step;
    for (int64_t c = 0; c < view->channels; c++) {
        transform(view, from + c * view->channel_step, rows, packed + c * rows, view->channels * rows);
    }
}

static void pack_part(void* argument, int64_t begin, int64_t end) {
    const packing* p = (const packing*)argument;
    const weight_view* w = p->view;
    int64_t tiles = tile_count(w->rows);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t group = unit / tiles, first = tile_begin(w->rows, unit % tiles);
        int64_t rows = tile_begin(w->rows, unit % tiles + 1) - first;
        wino_pack_tile(w, group, first, rows, p->packed + (group * w->rows + first) * w->channels * WINO_POINTS);
    }
}

void wino_pack(opforge_call* call, const weight_view* view, float* packed) {
    packing p = {view, packed};
    int64_t grain = 100 / (view->channels * TILE_ROWS) + 1;
    call->host->parallel_for(call, view->groups * tile_count(view->rows), grain, pack_part, &p);
}
