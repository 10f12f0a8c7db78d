/* Gradient of data by scattering: a product with one row per channel and tap and one column per result, whose
 * elements are added up in frames. It is used for few channels per group, as in a first layer, which would not
 * fill tiles, and for images that are small relative to the filter, for which the reversed filter would mostly
 * multiply borders. Bands of the data's rows are computed separately; their number depends only on the sizes. */
#include "frame.h"
#include "kernels.h"
#include "pack.h"
#include "sizes.h"
#include "tile.h"
#include "weights.h"

enum {
    MAX_SCATTER_CHANNELS = 4,
    UNITS = 16, MIN_ROWS = 32, /* units of work, if possible; rows of a band */
    FRAMES = 1 << 14,            /* elements of frames filled together: 64 KiB */
    MIN_FILTERS = 16,          /* with fewer, adding takes longer than multiplying */
    MAX_SMALL_TAPS = 9,              /* taps of a filter with small losses at borders, unless Winograd's algorithm applies to 3x3 */
};

typedef struct spread {
    const conv_shape* s;
    frame frame;
    image_view out;          /* one image under a 1x1 filter */
    const float* weights; /* packed: channels, then a row for each tap */
    const float* bias;
    float* data;
    int64_t taps, frame_size;   /* elements of one channel's frame */
    int64_t at_once;      /* channels whose frames are filled together */
    int64_t parts, bands; /* parts of a group's channels, and bands of the data's rows */
} spread;

/* A unit of work: some channels of one image. */
typedef struct stack {
    int64_t image, group, first, channels; /* the first is counted in all groups */
    float *frames, *packed, *products;
} stack;

/* The weights of one group. */
static weight_view view(const conv_shape* s, const float* weight, int64_t group) {
    int64_t taps = conv_volume(s->kernel);
    return (weight_view){
        .data = weight + group * s->out_channels * s->in_channels * taps,
        .groups = s->in_channels, .rows = taps, .channels = s->out_channels, .taps_y = 1, .taps_x = 1,
        .group_step = taps, .row_step = 1, .channel_step = s->in_channels * taps,
    };
}

static spread plan_spread(const conv_shape* s) {
    spread w = {.s = s, .frame = frame_of_data(s), .taps = conv_volume(s->kernel)};
    w.frame_size = frame_size(&w.frame) + LANES;
    w.parts = ceil_div(s->in_channels, min64(s->in_channels, max64(1, FRAMES / w.frame_size)));
    w.at_once = ceil_div(s->in_channels, w.parts);
    w.bands = min64(ceil_div(s->in[1], MIN_ROWS), ceil_div(UNITS, s->n * s->groups * w.parts));
    return w;
}

/* -- from results to taps ------------------------------------------------------------------------------- */

/* Add `n` adjacent positions to a row of the frame. Each of its vectors is stored once, because a load that
 * overlaps a recent partial store would stall. */
static void add_beside(const frame* f, const float* products, float* to, int64_t n) {
    int64_t reach = (f->taps_x - 1) * f->dilate_x;
    for (int64_t at = 0; at < n + reach; at += LANES) {
        vec sum = V(load)(to + at);
        for (int64_t tap = 0; tap < f->taps_x; tap++) {
            int64_t first = tap * f->dilate_x - at;
            int64_t from = max64(first, 0), end = min64(first + n, LANES);
            if (from >= end) continue;
            sum += V(load_lanes)((vec){0}, products + tap * PANEL - first, 1, (int)from, (int)end);
        }
        V(store)(to + at, sum);
    }
}

static void add_apart(const frame* f, const float* products, float* to, int64_t n) {
    for (int64_t tap = 0; tap < f->taps_x; tap++, products += PANEL, to += f->dilate_x) {
        for (int64_t i = 0; i < n; i++) to[i * f->stride_x] += products[i];
    }
}

/* Add a panel of products, of positions [begin, end), to one channel's frame. */
static void add_panel(const frame* f, const float* products, float* sums, int64_t begin, int64_t end) {
    for (int64_t at = begin, n; at < end; at += n, products += n) {
        int64_t y = at / f->positions_x, x = at % f->positions_x;
        float* to = sums + y * f->stride_y * f->row + x * f->stride_x;
        n = min64(f->positions_x - x, end - at);
        for (int64_t tap = 0; tap < f->taps_y; tap++, to += f->dilate_y * f->row) {
            (f->stride_x == 1 ? add_beside : add_apart)(f, products + tap * f->taps_x * PANEL, to, n);
        }
    }
}

/* Add the contributions of positions [begin, end) to all channels. */
static void add_positions(const spread* w, const stack* of, int64_t begin, int64_t end) {
    int64_t depth = w->s->out_channels;
    image_view out = w->out;
    out.data += of->image * out.image + of->group * depth * out.plane;
    for (int64_t position = begin; position < end; position += PANEL) {
        pack_columns(&out, position, end, 2, 0, depth, of->packed, PANEL);
        for (int64_t i = 0; i < of->channels; i++) {
            const float* weights = w->weights + (of->first + i) * w->taps * depth;
            for (int64_t tile = 0; tile < tile_count(w->taps); tile++) {
                int64_t first = tile_begin(w->taps, tile), rows = tile_begin(w->taps, tile + 1) - first;
                run_tile(rows, depth, weights + first * depth, of->packed, of->products + first * PANEL, PANEL, NULL, 0);
            }
            add_panel(&w->frame, of->products, of->frames + i * w->frame_size, position, min64(position + PANEL, end));
        }
    }
}

/* -- bands ------------------------------------------------------------------------------------------------- */

/* Copy rows [begin, end) of the data out of the frame, with the bias. */
static void take_rows(const frame* f, const float* sums, int64_t begin, int64_t end, float bias, float* data) {
    for (int64_t y = begin; y < end; y++) {
        const float* from = sums + (y + f->first_y) * f->row + f->first_x;
        int64_t seen = y + f->first_y < f->rows ? max64(min64(f->width, f->columns - f->first_x), 0) : 0;
        for (int64_t x = 0; x < seen; x++) data[y * f->width + x] = from[x] + bias;
        for (int64_t x = seen; x < f->width; x++) data[y * f->width + x] = bias;
    }
}

static void run_band(const spread* w, const stack* of, int64_t band) {
    const frame* f = &w->frame;
    int64_t begin = f->height * band / w->bands, end = f->height * (band + 1) / w->bands;
    /* Rows of positions that contribute to the band. */
    int64_t above = begin + f->first_y - (f->taps_y - 1) * f->dilate_y;
    int64_t first = above > 0 ? ceil_div(above, f->stride_y) : 0;
    int64_t last = min64(f->positions_y, (end - 1 + f->first_y) / f->stride_y + 1);
    memset(of->frames, 0, (size_t)(of->channels * w->frame_size) * sizeof(float));
    add_positions(w, of, first * f->positions_x, last * f->positions_x);
    for (int64_t i = 0; i < of->channels; i++) {
        int64_t channel = of->first + i, plane = of->image * w->s->groups * w->s->in_channels + channel;
        take_rows(f, of->frames + i * w->frame_size, begin, end, w->bias == NULL ? 0 : w->bias[channel],
                  w->data + plane * f->height * f->width);
    }
}

static int32_t run_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const spread* w = (const spread*)argument;
    int64_t channels = w->s->in_channels;
    stack of = {.frames = (float*)worker->scratch};
    of.packed = of.frames + w->at_once * w->frame_size;
    of.products = of.packed + w->s->out_channels * PANEL;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t some = unit / w->bands, part = some % w->parts;
        of.image = some / w->parts / w->s->groups;
        of.group = some / w->parts % w->s->groups;
        of.first = of.group * channels + channels * part / w->parts;
        of.channels = channels * (part + 1) / w->parts - channels * part / w->parts;
        run_band(w, &of, unit % w->bands);
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
    spread w = plan_spread(s);
    w.out = out_view(s, (const float*)arrays->out);
    w.weights = packed;
    w.bias = (const float*)arrays->bias;
    w.data = (float*)arrays->data;
    int64_t scratch = w.at_once * w.frame_size + (s->out_channels + w.taps) * PANEL;
    double work = (double)conv_volume(s->out) * (double)(w.taps * s->out_channels * w.at_once) / (double)w.bands;
    return call->host->parallel(call, s->n * s->groups * w.parts * w.bands, (int64_t)(2e5 / work) + 1,
                                scratch * (int64_t)sizeof(float), run_part, &w);
}

/* The reversed filter also multiplies elements around the results, and a panel those beyond them. */
int backward_scatter_applies(const conv_shape* s) {
    frame data = frame_of_data(s);
    if (!frame_fits(&data)) return 0;
    int64_t reversed = conv_volume(s->in) / (s->stride[1] * s->stride[2]);
    int64_t spread = ceil_div(conv_volume(s->out), PANEL) * PANEL;
    return s->in_channels <= MAX_SCATTER_CHANNELS || (s->out_channels >= MIN_FILTERS &&
                                              conv_volume(s->kernel) > MAX_SMALL_TAPS && 2 * reversed >= 3 * spread);
}

void backward_scatter_plan(conv_plan* plan) {
    weight_view weights = view(&plan->shape, NULL, 0);
    plan->workspace_bytes = plan->shape.groups * weights_count(&weights) * (int64_t)sizeof(float);
    plan->run = run_backward;
}
