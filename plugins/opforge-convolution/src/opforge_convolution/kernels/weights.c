/* Packing of weights, with tiles distributed over threads. */
#include "weights.h"

#include "tile.h"

typedef struct packing {
    const weight_view* view;
    float* packed;
} packing;

int64_t weights_count(const weight_view* view) {
    return view->groups * view->rows * view->channels * view->taps_y * view->taps_x;
}

static void pack_tile(const weight_view* w, const float* from, int64_t rows, float* to) {
    for (int64_t c = 0; c < w->channels; c++) {
        for (int64_t ty = 0; ty < w->taps_y; ty++) {
            for (int64_t tx = 0; tx < w->taps_x; tx++, to += rows) {
                const float* tap = from + c * w->channel_step + ty * w->tap_y_step + tx * w->tap_x_step;
                for (int64_t r = 0; r < rows; r++) to[r] = tap[r * w->row_step];
            }
        }
    }
}

static void pack_part(void* argument, int64_t begin, int64_t end) {
    const packing* p = (const packing*)argument;
    const weight_view* w = p->view;
    int64_t tiles = tile_count(w->rows), depth = w->channels * w->taps_y * w->taps_x;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t group = unit / tiles, tile = unit % tiles;
        int64_t first = tile_begin(w->rows, tile), last = tile_begin(w->rows, tile + 1);
        pack_tile(w, w->data + group * w->group_step + first * w->row_step, last - first,
                  p->packed + (group * w->rows + first) * depth);
    }
}

void weights_pack(opforge_call* call, const weight_view* view, float* packed) {
    packing p = {view, packed};
    int64_t depth = view->channels * view->taps_y * view->taps_x;
    int64_t grain = 8000 / (depth * TILE_ROWS) + 1; /* about half a nanosecond per element */
    call->host->parallel_for(call, view->groups * tile_count(view->rows), grain, pack_part, &p);
}
