/* Weighted pixels of a bin, and their sums or updates for all channels. Included once per type. */
#include "axis_taps.h"

enum { NAME(TAPS) = 256 };

typedef struct NAME(tap) {
    int64_t pixel;
    T weight;
} NAME(tap);

/* Channels of a bin: their location in the images, and their values. */
typedef struct NAME(cell) {
    T *pixels, *values;
    int64_t channels, block_step, pixel_step, channel_step;
} NAME(cell);

typedef void (*NAME(apply_taps))(const NAME(cell)* cell, const NAME(tap)* taps, int64_t n);

typedef struct NAME(taps) {
    int64_t n;
    NAME(apply_taps) take;
    NAME(cell) cell;
    NAME(tap) list[NAME(TAPS)];
} NAME(taps);

static inline void NAME(flush)(NAME(taps)* taps) {
    if (taps->n > 0) taps->take(&taps->cell, taps->list, taps->n);
    taps->n = 0;
}

static inline void NAME(add_tap)(NAME(taps)* taps, int64_t pixel, T weight) {
    if (taps->n == NAME(TAPS)) NAME(flush)(taps);
    taps->list[taps->n++] = (NAME(tap)){pixel, weight};
}

static void NAME(add_product)(NAME(taps)* taps, const NAME(axis_taps)* rows, const NAME(axis_taps)* columns,
                              int64_t width) {
    for (int64_t i = 0; i < rows->n; i++) {
        for (int64_t j = 0; j < columns->n; j++) {
            NAME(add_tap)(taps, rows->items[i].index * width + columns->items[j].index,
                          rows->items[i].weight * columns->items[j].weight);
        }
    }
}

/* -- add pixels to values ------------------------------------------------------------------------------------- */

/* Inlined with a constant `lanes`, so that the sums stay in registers. */
static inline __attribute__((always_inline)) void NAME(gather_block)(const T* pixels, int64_t step, T* values,
                                                                     int64_t lanes, const NAME(tap)* taps, int64_t n) {
    T sums[LANES];
    for (int64_t c = 0; c < lanes; c++) sums[c] = values[c];
    for (int64_t i = 0; i < n; i++) {
        const T* x = pixels + taps[i].pixel * step;
        for (int64_t c = 0; c < lanes; c++) sums[c] += taps[i].weight * x[c];
    }
    for (int64_t c = 0; c < lanes; c++) values[c] = sums[c];
}

static void NAME(gather_lanes)(const NAME(cell)* cell, const NAME(tap)* taps, int64_t n) {
    for (int64_t first = 0; first < cell->channels; first += LANES) {
        const T* pixels = cell->pixels + first / LANES * cell->block_step;
        int64_t lanes = min_int64(LANES, cell->channels - first);
        if (lanes == LANES) NAME(gather_block)(pixels, LANES, cell->values + first, LANES, taps, n);
        else NAME(gather_block)(pixels, cell->pixel_step, cell->values + first, lanes, taps, n);
    }
}

static void NAME(gather_planes)(const NAME(cell)* cell, const NAME(tap)* taps, int64_t n) {
    for (int64_t c = 0; c < cell->channels; c++) {
        const T* plane = cell->pixels + c * cell->channel_step;
        T sum = 0;
        for (int64_t i = 0; i < n; i++) sum += taps[i].weight * plane[taps[i].pixel];
        cell->values[c] += sum;
    }
}

/* -- add values to pixels ------------------------------------------------------------------------------------- */

static void NAME(scatter_lanes)(const NAME(cell)* cell, const NAME(tap)* taps, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        T* x = cell->pixels + taps[i].pixel * cell->pixel_step;
        for (int64_t c = 0; c < cell->channels; c++) x[c] += taps[i].weight * cell->values[c];
    }
}

static void NAME(scatter_planes)(const NAME(cell)* cell, const NAME(tap)* taps, int64_t n) {
    for (int64_t c = 0; c < cell->channels; c++) {
        T* plane = cell->pixels + c * cell->channel_step;
        for (int64_t i = 0; i < n; i++) plane[taps[i].pixel] += taps[i].weight * cell->values[c];
    }
}
