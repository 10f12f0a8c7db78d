/* Forward pass with few positions, as at the end of a network that predicts one image. Packing the weights would
 * take longer than multiplying them: they are read once, in place, in dot products with columns that are stored
 * along their length. */
#include "dots.h"
#include "finish.h"
#include "kernels.h"
#include "pack.h"
#include "sizes.h"

typedef struct dots_plan {
    const conv_shape* s;
    image_view data;
    const float* weights;
    const float* bias;
    float* columns; /* groups, then one row per position */
    float* out;
    int64_t depth, row, positions;
    finish finish;
} dots_plan;

enum { MAX_POSITIONS = 64, MIN_DEPTH = 512, MIN_FILTERS = 32 };

static int64_t depth_of(const conv_shape* s) { return s->in_channels * conv_volume(s->kernel); }

/* Not a power of two, to avoid cache conflicts between columns. */
static int64_t row_of(const conv_shape* s) { return depth_of(s) + LANES; }

/* -- columns ---------------------------------------------------------------------------------------------- */

/* Pack a vector of columns as in panels and transpose it, some rows at a time. */
static void store_columns(const dots_plan* w, const image_view* data, int64_t column, float* packed, float* to) {
    int64_t n = w->positions - column < LANES ? w->positions - column : LANES;
    pack_columns(data, column, w->positions, 1, 0, w->s->in_channels, packed, LANES);
    for (int64_t k = 0; k < w->depth; k += LANES) {
        for (int64_t i = 0; i < n; i++) {
            for (int j = 0; j < LANES; j++) to[(column + i) * w->row + k + j] = packed[(k + j) * LANES + i];
        }
    }
}

static int32_t columns_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const dots_plan* w = (const dots_plan*)argument;
    int64_t vectors = ceil_div(w->positions, LANES);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t group = unit / vectors;
        image_view data = w->data;
        data.data += group * w->s->in_channels * data.plane;
        store_columns(w, &data, unit % vectors * LANES, (float*)worker->scratch,
                      w->columns + group * w->positions * w->row);
    }
    return OPFORGE_OK;
}

/* -- products --------------------------------------------------------------------------------------------- */

static void dots_part(void* argument, int64_t begin, int64_t end) {
    const dots_plan* w = (const dots_plan*)argument;
    int64_t filters = w->s->out_channels, tiles = ceil_div(filters, DOT_ROWS);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t group = unit / tiles, first = unit % tiles * DOT_ROWS, filter = group * filters + first;
        int64_t rows = filters - first < DOT_ROWS ? filters - first : DOT_ROWS;
        float* out = w->out + filter * w->positions;
        for (int64_t i = 0; i < rows * w->positions; i++) out[i] = w->bias == NULL ? 0 : w->bias[filter + i / w->positions];
        for (int64_t position = 0; position < w->positions; position += DOT_COLUMNS) {
            dots(w->depth / LANES, w->weights + filter * w->depth, w->depth, rows,
                 w->columns + (group * w->positions + position) * w->row, w->row, w->positions - position, out + position, w->positions);
        }
        finish_rows(&w->finish, out, rows, w->positions, w->positions);
    }
}

static int32_t run_dots(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays) {
    const conv_shape* s = &plan->shape;
    dots_plan w = {
        .s = s, .data = data_view(s, (const float*)arrays->data), .weights = (const float*)arrays->weight,
        .bias = (const float*)arrays->bias, .columns = (float*)arrays->workspace, .out = (float*)arrays->out,
        .depth = depth_of(s), .row = row_of(s), .positions = conv_volume(s->out),
        .finish = finish_of(call, arrays->epilogue, (const float*)arrays->out, conv_volume(s->out), 1),
    };
    int32_t status = call->host->parallel(call, s->groups * ceil_div(w.positions, LANES), 1,
                                          w.depth * LANES * (int64_t)sizeof(float), columns_part, &w);
    if (status) return status;
    int64_t grain = 200000 / (w.depth * w.positions * DOT_ROWS) + 1;
    call->host->parallel_for(call, s->groups * ceil_div(s->out_channels, DOT_ROWS), grain, dots_part, &w);
    return OPFORGE_OK;
}

int forward_dots_applies(const conv_shape* s) {
    return s->n == 1 && conv_volume(s->out) <= MAX_POSITIONS && depth_of(s) % LANES == 0 &&
           depth_of(s) >= MIN_DEPTH && s->out_channels >= MIN_FILTERS;
}

void forward_dots_plan(conv_plan* plan) {
    const conv_shape* s = &plan->shape;
    plan->workspace_bytes = s->groups * conv_volume(s->out) * row_of(s) * (int64_t)sizeof(float);
    plan->finishes = 1;
    plan->run = run_dots;
}
