/* Gradient of weights with too few channels for vectors: dot products of the columns of the data with those of the
 * results' gradient. Work is divided by groups and by chunks of the data's rows; if these are few, columns are
 * divided among slots with separate sums. The number of slots depends only on the sizes, so that the summation
 * order does not depend on the number of threads. */
#include <stdlib.h>
#include <string.h>

#include "dots.h"
#include "pack.h"
#include "kernels.h"
#include "sizes.h"

enum {
    COLUMNS = 512,      /* packed at a time */
    ROW = COLUMNS + 16, /* elements between packed rows: not a multiple of a page */
    DEPTH = 128,        /* approximate rows of data packed at a time: 264 KiB */
    UNITS = 16,         /* units of work, if possible */
    MAX_SUMS = 1 << 20 /* elements of all slots except the first */
};

typedef struct reduction {
    image_view data, out;
    int64_t groups, channels, filters, taps; /* channels and filters of one group */
    int64_t columns, chunk_channels, chunks; /* channels of data packed at a time; number of chunks in a group */
    int64_t slots, shares;                   /* parts of the columns, and shares of the chunks: any number */
    float* sums;                             /* sums of the first slot: the result itself */
    float* more;                             /* sums of further slots */
} reduction;

static int64_t group_size(const reduction* r) { return r->filters * r->channels * r->taps; }

static reduction plan_reduction(const conv_shape* s, int64_t threads) {
    reduction r = {
        .groups = s->groups, .channels = s->in_channels, .filters = s->out_channels,
        .taps = conv_volume(s->kernel), .columns = s->n * conv_volume(s->out),
    };
    r.chunk_channels = ceil_div(r.channels, ceil_div(r.channels * r.taps, DEPTH));
    r.chunks = ceil_div(r.channels, r.chunk_channels);
    int64_t blocks = ceil_div(r.columns, COLUMNS);
    r.slots = min64(min64(ceil_div(UNITS, r.groups * r.chunks), ceil_div(blocks, 2)),
                    1 + MAX_SUMS / (r.groups * group_size(&r)));
    r.shares = min64(r.chunks, ceil_div(4 * threads, r.groups * r.slots));
    return r;
}

/* Add all dot products of packed rows of the results and of the data. */
static void add_dots(const reduction* r, int vectors, const float* out, const float* data, int64_t depth,
                     float* sums) {
    int64_t row = r->channels * r->taps;
    for (int64_t i = 0; i < r->filters; i += DOT_ROWS) {
        for (int64_t j = 0; j < depth; j += DOT_COLUMNS) {
            dots(vectors, out + i * ROW, ROW, r->filters - i, data + j * ROW, ROW, depth - j,
                 sums + i * row + j, row);
        }
    }
}

/* Add the contribution of columns [begin, end) to the sums of some chunks of a group. */
static void run_columns(const reduction* r, int64_t group, int64_t begin, int64_t end, int64_t first,
                        int64_t last, float* sums, float* packed) {
    image_view data = r->data, out = r->out;
    data.data += group * r->channels * data.plane;
    out.data += group * r->filters * out.plane;
    float* packed_data = packed + r->filters * ROW;
    for (int64_t column = begin; column < end; column += COLUMNS) {
        int64_t stop = min64(column + COLUMNS, end);
        int vectors = (int)ceil_div(stop - column, LANES);
        pack_columns(&out, column, stop, vectors, 0, r->filters, packed, ROW);
        for (int64_t chunk = first; chunk < last; chunk++) {
            int64_t from = chunk * r->chunk_channels, to = min64(from + r->chunk_channels, r->channels);
            pack_columns(&data, column, stop, vectors, from, to, packed_data, ROW);
            add_dots(r, vectors, packed, packed_data, (to - from) * r->taps, sums + from * r->taps);
        }
    }
}

static int32_t run_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const reduction* r = (const reduction*)argument;
    int64_t blocks = ceil_div(r->columns, COLUMNS);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t share = unit % r->shares, slot = unit / r->shares % r->slots;
        int64_t group = unit / r->shares / r->slots;
        float* sums = slot == 0 ? r->sums : r->more + (slot - 1) * r->groups * group_size(r);
        run_columns(r, group, blocks * slot / r->slots * COLUMNS,
                    min64(blocks * (slot + 1) / r->slots * COLUMNS, r->columns),
                    r->chunks * share / r->shares, r->chunks * (share + 1) / r->shares,
                    sums + group * group_size(r), (float*)worker->scratch);
    }
    return OPFORGE_OK;
}

static void add_slots(void* argument, int64_t begin, int64_t end) {
    const reduction* r = (const reduction*)argument;
    int64_t size = r->groups * group_size(r);
    for (int64_t slot = 1; slot < r->slots; slot++) {
        const float* more = r->more + (slot - 1) * size;
        for (int64_t i = begin; i < end; i++) r->sums[i] += more[i];
    }
}

static int32_t run_backward(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays) {
    const conv_shape* s = &plan->shape;
    reduction r = *(const reduction*)plan->context;
    r.data = data_view(s, (const float*)arrays->data);
    r.out = out_view(s, (const float*)arrays->out);
    r.sums = (float*)arrays->weight;
    r.more = (float*)arrays->workspace;
    int64_t size = r.groups * group_size(&r);
    memset(r.sums, 0, (size_t)size * sizeof(float));
    if (r.slots > 1) memset(r.more, 0, (size_t)plan->workspace_bytes);
    int64_t scratch = (r.filters + r.chunk_channels * r.taps) * ROW * (int64_t)sizeof(float);
    double work = (double)group_size(&r) * (double)r.columns / (double)(r.slots * r.shares);
    int32_t status = call->host->parallel(call, r.groups * r.slots * r.shares, (int64_t)(2e5 / work) + 1, scratch,
                                          run_part, &r);
    if (status == OPFORGE_OK) call->host->parallel_for(call, size, 16384, add_slots, &r);
    return status;
}

int32_t backward_weight_plan(opforge_call* call, conv_plan* plan) {
    reduction* r = (reduction*)malloc(sizeof *r);
    if (r == NULL) return OPFORGE_NO_MEMORY;
    *r = plan_reduction(&plan->shape, call->host->threads(call));
    plan->workspace_bytes = (r->slots - 1) * r->groups * group_size(r) * (int64_t)sizeof(float);
    plan->context = r;
    plan->end = free;
    plan->run = run_backward;
    return OPFORGE_OK;
}
