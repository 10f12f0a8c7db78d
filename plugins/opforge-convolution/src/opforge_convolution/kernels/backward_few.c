/* Backward to the data of few channels (in a group), as those of the first layer are: here the product has a row for
 * each tap and a column for each result, and what a result gives to its taps is added up in a frame.
 * Bands of the data's rows are computed apart; how many there are is a matter of the sizes alone. */
#include "frame.h"
#include "kernels.h"
#include "pack.h"
#include "tile.h"
#include "weights.h"

enum { UNITS = 16, LEAST_ROWS = 32 }; /* of work, as many if they can be had; of a band */

typedef struct spread {
    const conv_shape* s;
    frame frame;
    picture out;          /* one image under a filter of one tap */
    const float* weights; /* packed: channel after channel, a row for each tap */
    const float* bias;
    float* data;
    int64_t channels, taps, bands; /* channels of all groups */
} spread;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* One group's weights. */
static weight_view view(const conv_shape* s, const float* weight, int64_t group) {
    int64_t taps = conv_volume(s->kernel);
    return (weight_view){
        .data = weight + group * s->out_channels * s->in_channels * taps,
        .groups = s->in_channels, .rows = taps, .channels = s->out_channels, .taps_y = 1, .taps_x = 1,
        .group_step = taps, .row_step = 1, .channel_step = s->in_channels * taps,
    };
}

/* -- from results to taps ------------------------------------------------------------------------------- */

/* Add one row of places, `n` of them, of each tap's products. */
static void add_run(const frame* f, const float* products, float* to, int64_t n) {
    for (int64_t tap = 0; tap < f->taps_y * f->taps_x; tap++, products += PANEL) {
        float* seen = to + tap / f->taps_x * f->dilate_y * f->row + tap % f->taps_x * f->dilate_x;
        if (f->stride_x != 1) {
            for (int64_t i = 0; i < n; i++) seen[i * f->stride_x] += products[i];
            continue;
        }
        for (int64_t i = 0; i < n; i += LANES) {
            int64_t rest = least(n - i, LANES);
            vec v = rest == LANES ? vec_load(products + i) : vec_load_lanes((vec){0}, products + i, 1, 0, (int)rest);
            vec_store(seen + i, vec_load(seen + i) + v);
        }
    }
}

/* Add what the places [begin, end) of an image give to one channel. */
static void add_places(const spread* w, const picture* out, int64_t channel, int64_t begin, int64_t end,
                       float* sums, float* packed) {
    const frame* f = &w->frame;
    int64_t depth = w->s->out_channels;
    float* products = packed + depth * PANEL;
    for (int64_t place = begin; place < end; place += PANEL) {
        pack_columns(out, place, end, 2, 0, depth, packed, PANEL);
        for (int64_t tile = 0; tile < tile_count(w->taps); tile++) {
            int64_t first = tile_begin(w->taps, tile), rows = tile_begin(w->taps, tile + 1) - first;
            tiles[rows](depth, w->weights + (channel * w->taps + first) * depth, packed, products + first * PANEL,
                        PANEL, NULL, 0);
        }
        for (int64_t at = place; at < least(place + PANEL, end);) {
            int64_t y = at / f->places_x, x = at % f->places_x;
            int64_t n = least(f->places_x - x, least(place + PANEL, end) - at);
            add_run(f, products + at - place, sums + y * f->stride_y * f->row + x * f->stride_x, n);
            at += n;
        }
    }
}

/* -- bands ------------------------------------------------------------------------------------------------- */

/* Copy the rows [begin, end) of the data out of the frame, with the bias. */
static void take_rows(const frame* f, const float* sums, int64_t begin, int64_t end, float bias, float* data) {
    for (int64_t y = begin; y < end; y++) {
        int64_t row = y + f->first_y;
        for (int64_t x = 0; x < f->width; x++) {
            int64_t column = x + f->first_x;
            int inside = row < f->rows && column < f->columns;
            data[y * f->width + x] = (inside ? sums[row * f->row + column] : 0) + bias;
        }
    }
}

static void run_band(const spread* w, int64_t image, int64_t channel, int64_t band, float* scratch) {
    const frame* f = &w->frame;
    int64_t begin = f->height * band / w->bands, end = f->height * (band + 1) / w->bands;
    /* Rows of places from which the band is seen. */
    int64_t above = begin + f->first_y - (f->taps_y - 1) * f->dilate_y;
    int64_t first = above > 0 ? (above + f->stride_y - 1) / f->stride_y : 0;
    int64_t last = least(f->places_y, (end - 1 + f->first_y) / f->stride_y + 1);
    float *sums = scratch, *packed = scratch + frame_size(f) + LANES;
    picture out = w->out;
    out.data += image * out.image + channel / w->s->in_channels * w->s->out_channels * out.plane;
    memset(sums, 0, (size_t)(frame_size(f) + LANES) * sizeof(float));
    add_places(w, &out, channel, first * f->places_x, last * f->places_x, sums, packed);
    take_rows(f, sums, begin, end, w->bias == NULL ? 0 : w->bias[channel],
              w->data + (image * w->channels + channel) * f->height * f->width);
}

static int32_t run_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const spread* w = (const spread*)argument;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t plane = unit / w->bands;
        run_band(w, plane / w->channels, plane % w->channels, unit % w->bands, (float*)worker->scratch);
    }
    return OPFORGE_OK;
}

static int32_t run_backward(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays) {
    const conv_shape* s = &plan->shape;
    float* packed = (float*)arrays->workspace;
    for (int64_t group = 0; group < s->groups; group++) {
        weight_view weights = view(s, (const float*)arrays->weight, group);
        weights_pack(call, &weights, packed + group * weights_count(&weights));
    }
    int64_t planes = s->n * s->groups * s->in_channels, most = (s->in[1] + LEAST_ROWS - 1) / LEAST_ROWS;
    spread w = {
        .s = s, .frame = frame_of_data(s), .out = out_picture(s, (const float*)arrays->out),
        .weights = packed, .bias = (const float*)arrays->bias,
        .data = (float*)arrays->data, .channels = s->groups * s->in_channels, .taps = conv_volume(s->kernel),
        .bands = least(most, (UNITS + planes - 1) / planes),
    };
    int64_t scratch = frame_size(&w.frame) + LANES + (s->out_channels + w.taps) * PANEL;
    double work = (double)conv_volume(s->out) * (double)(w.taps * s->out_channels) / (double)w.bands;
    return call->host->parallel(call, planes * w.bands, (int64_t)(2e5 / work) + 1, scratch * (int64_t)sizeof(float),
                                run_part, &w);
}

void backward_few_plan(conv_plan* plan) {
    weight_view weights = view(&plan->shape, NULL, 0);
    plan->workspace_bytes = plan->shape.groups * weights_count(&weights) * (int64_t)sizeof(float);
    plan->run = run_backward;
}
