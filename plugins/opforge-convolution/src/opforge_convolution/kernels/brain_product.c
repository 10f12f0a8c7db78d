/* Results, and the gradient of data: rows of weights times panels of columns, for a range of filters at a time. */
#include <opforge/brain.h>

#ifdef OF_BRAIN_PRODUCTS

#include <stdlib.h>

#include "brain.h"
#include "brain_finish.h"
#include "brain_lines.h"
#include "kernels.h"
#include "phases.h"
#include "winograd.h"

enum {
    COLUMNS = OF_BRAIN_COLUMNS, /* most of a panel */
    LINES = 2 * OF_BRAIN_DEPTH, /* copied at a time: 32 KB */
    FILTERS = 6,                /* a range of filters is a multiple of these */
    WINOGRAD_COLUMNS = 1 << 13, /* fewest columns for which Winograd's convolution in float32 is faster */
};

/* Destination of results: position (y, x) at y * row + x * step of its channel. */
typedef struct destination {
    uint16_t* data;
    int64_t image, plane, row, step;
} destination;

/* The product; pointers in views are not used. */
typedef struct brain_product {
    image_view view;
    weight_view weights;
    const uint16_t *data, *weight, *bias;
    destination out;
    int64_t images, groups, channels, filters; /* channels and filters of one group */
    const opforge_call* finish;                /* whose epilogue is applied to the results, or NULL */
} brain_product;

static int64_t depth_of(const brain_product* p) { return p->channels * image_taps(&p->view); }

/* -- weights: rows of an even number of elements ------------------------------------------------------------------- */

static int64_t weight_row(const brain_product* p) { return (depth_of(p) + 1) / 2 * 2; }

/* Whether rows can be read in place. */
static int has_rows(const brain_product* p) {
    const weight_view* w = &p->weights;
    return w->row_step == depth_of(p) && w->row_step % 2 == 0 && w->channel_step == image_taps(&p->view) &&
           w->tap_y_step == w->taps_x && w->tap_x_step == 1;
}

static int64_t workspace_of(const brain_product* p) { return p->groups * p->filters * weight_row(p); }

typedef struct copying {
    const brain_product* p;
    uint16_t* to;
} copying;

static void copy_rows(void* argument, int64_t begin, int64_t end) {
    const copying* copy = (const copying*)argument;
    const weight_view* w = &copy->p->weights;
    for (int64_t row = begin; row < end; row++) {
        const uint16_t* from = copy->p->weight + row / w->rows * w->group_step + row % w->rows * w->row_step;
        uint16_t *to = copy->to + row * weight_row(copy->p), *next = to + weight_row(copy->p);
        for (int64_t c = 0; c < w->channels; c++, from += w->channel_step) {
            for (int64_t y = 0; y < w->taps_y; y++) {
                for (int64_t x = 0; x < w->taps_x; x++) *to++ = from[y * w->tap_y_step + x * w->tap_x_step];
            }
        }
        if (to < next) *to = 0;
    }
}

/* -- panels of columns --------------------------------------------------------------------------------------------- */

/* Interleave pairs of lines of some vectors. */
static void fill_panel(const uint16_t* lines, int64_t row, int64_t vectors, int64_t pairs, uint16_t* panel) {
    const __m512i order = _mm512_set_epi16(47, 15, 46, 14, 45, 13, 44, 12, 43, 11, 42, 10, 41, 9, 40, 8, 39, 7, 38, 6, 37,
                                           5, 36, 4, 35, 3, 34, 2, 33, 1, 32, 0);
    for (int64_t x = 0; x < pairs; x++, lines += 2 * row) {
        for (int64_t v = 0; v < vectors; v++, panel += 2 * LANES) {
            const __m512i a = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i*)(lines + v * LANES)));
            const __m512i b = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i*)(lines + row + v * LANES)));
            _mm512_storeu_si512(panel, _mm512_permutex2var_epi16(a, order, b));
        }
    }
}

/* Columns of a group that are multiplied together. */
typedef struct columns {
    int64_t begin, vectors, all; /* the first, vectors of them, and the number of all columns */
} columns;

/* The data of a panel under 1x1 filters if they are adjacent, or NULL. */
static const uint16_t* adjacent_lines(const brain_product* p, const uint16_t* data, const columns* c) {
    const image_view* v = &p->view;
    const int64_t positions = image_positions(v), position = c->begin % positions, n = c->vectors * LANES;
    const int is_plain = image_taps(v) == 1 && v->stride_y == 1 && v->stride_x == 1 && v->pad_y == 0 && v->pad_x == 0 &&
                         v->positions_y == v->height && v->positions_x == v->width;
    if (!is_plain || c->begin + n > c->all || position + n > positions) return NULL;
    return data + c->begin / positions * v->image + position;
}

/* Memory of a worker. */
typedef struct memory {
    uint16_t lines[LINES * COLUMNS], panel[LINES * COLUMNS];
    float sums[]; /* of the filters of a unit */
} memory;

/* Add the products of `rows` rows of weights with some columns. */
static void add_products(const brain_product* p, const uint16_t* data, const uint16_t* weight, const columns* c,
                         int64_t rows, memory* m) {
    const int64_t depth = depth_of(p), pairs = weight_row(p) / 2;
    const int64_t slices = ceil_div(pairs, OF_BRAIN_DEPTH);
    const uint16_t* adjacent = depth % 2 == 0 ? adjacent_lines(p, data, c) : NULL;
    for (int64_t slice = 0; slice < slices; slice++) {
        const int64_t begin = 2 * of_tile_begin(pairs, slices, slice), end = 2 * of_tile_begin(pairs, slices, slice + 1);
        of_fetch fetch = {0};
        if (adjacent != NULL) {
            fill_panel(adjacent + begin * p->view.plane, p->view.plane, c->vectors, (end - begin) / 2, m->panel);
            const int64_t is_last = end == depth, next = is_last ? 0 : end; /* of the next panel, or of this one */
            const uint16_t* later = adjacent + next * p->view.plane + is_last * c->vectors * LANES;
            fetch = of_fetch_rows(later, p->view.plane * 2, min64(LINES, depth - next), c->vectors * LANES * 2 + OF_LINE - 2,
                                  of_brain_fetches(c->vectors, (end - begin) / 2, rows));
        } else {
            const int64_t last = min64(end, depth);
            brain_copy_lines(&p->view, data, c->begin, c->all, c->vectors, begin, last, m->lines, COLUMNS);
            if (last < end) memset(m->lines + (last - begin) * COLUMNS, 0, COLUMNS * sizeof *m->lines);
            fill_panel(m->lines, COLUMNS, c->vectors, (end - begin) / 2, m->panel);
        }
        of_brain_rows(c->vectors, weight + begin, weight_row(p), m->panel, (end - begin) / 2, m->sums, rows, &fetch);
    }
}

/* -- results ------------------------------------------------------------------------------------------------------- */

static int is_dense(const brain_product* p) { return p->out.step == 1 && p->out.row == p->view.positions_x; }

/* The segments of some columns. Dense results continue over the rows of an image. */
static segments segments_of(const brain_product* p, const columns* c) {
    const destination* d = &p->out;
    const int64_t positions = image_positions(&p->view), width = is_dense(p) ? positions : p->view.positions_x;
    const int64_t end = min64(c->begin + c->vectors * LANES, c->all);
    segments s = {0};
    for (int64_t at = c->begin, n; at < end; at += n) {
        const int64_t row = at % positions / width, x = at % width;
        n = min64(width - x, end - at);
        s.each[s.count++] = (segment){at - c->begin, n, at / positions * d->image + row * d->row + x * d->step};
    }
    return s;
}

static void store_rows(int64_t vectors, const brain_product* p, const segments* s, const float* sums, int64_t rows,
                       uint16_t* out) {
    for (int64_t r = 0; r < rows; r++, sums += vectors * LANES, out += p->out.plane) {
        switch (vectors) {
        case 1: brain_store_row(1, p->finish, s, out - p->out.data, sums, out, p->out.step); break;
        case 2: brain_store_row(2, p->finish, s, out - p->out.data, sums, out, p->out.step); break;
        case 3: brain_store_row(3, p->finish, s, out - p->out.data, sums, out, p->out.step); break;
        default: brain_store_row(4, p->finish, s, out - p->out.data, sums, out, p->out.step);
        }
    }
}

/* -- units: panels of columns times ranges of filters -------------------------------------------------------------- */

typedef struct blocks {
    const brain_product* p;
    const uint16_t* weight; /* in rows */
    int64_t columns, vectors, panels, parts, part; /* of one group: parts of the filters, and the length of one */
} blocks;

/* Filters are divided if panels do not give each thread some units. */
static blocks plan_blocks(opforge_call* call, const brain_product* p, const uint16_t* weight) {
    blocks b = {.p = p, .weight = weight, .columns = p->images * image_positions(&p->view)};
    const int64_t threads = call->host->threads(call), tiles = ceil_div(p->filters, FILTERS);
    b.vectors = ceil_div(b.columns, LANES);
    b.panels = ceil_div(b.vectors, OF_BRAIN_VECTORS);
    const int64_t wanted = threads == 1 ? 1 : ceil_div(2 * threads, b.panels * p->groups);
    b.part = ceil_div(tiles, min64(wanted, tiles)) * FILTERS;
    b.parts = ceil_div(p->filters, b.part);
    return b;
}

static void run_unit(const blocks* b, int64_t unit, memory* m) {
    const brain_product* p = b->p;
    const int64_t part = unit % b->parts, panel = unit / b->parts % b->panels, group = unit / b->parts / b->panels;
    const int64_t first = part * b->part, rows = min64(b->part, p->filters - first);
    const int64_t filter = group * p->filters + first, begin = of_tile_begin(b->vectors, b->panels, panel);
    const columns c = {begin * LANES, of_tile_begin(b->vectors, b->panels, panel + 1) - begin, b->columns};
    const segments s = segments_of(p, &c);
    for (int64_t r = 0; r < rows; r++) {
        const vec start = V(splat)(p->bias == NULL ? 0 : of_brain_to_float(p->bias[filter + r]));
        for (int64_t v = 0; v < c.vectors; v++) V(store)(m->sums + (r * c.vectors + v) * LANES, start);
    }
    add_products(p, p->data + group * p->channels * p->view.plane, b->weight + filter * weight_row(p), &c, rows, m);
    store_rows(c.vectors, p, &s, m->sums, rows, p->out.data + filter * p->out.plane);
}

static int32_t run_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; unit++) run_unit((const blocks*)argument, unit, (memory*)worker->scratch);
    return OPFORGE_OK;
}

static int32_t run_product(opforge_call* call, const brain_product* p, uint16_t* workspace) {
    copying copy = {p, workspace};
    const int64_t grain = 8000 / weight_row(p) + 1; /* about a nanosecond per element */
    if (!has_rows(p)) call->host->parallel_for(call, p->groups * p->filters, grain, copy_rows, &copy);
    blocks b = plan_blocks(call, p, has_rows(p) ? p->weight : workspace);
    const double work = (double)depth_of(p) * COLUMNS * (double)b.part;
    const int64_t scratch = (int64_t)sizeof(memory) + b.part * COLUMNS * (int64_t)sizeof(float);
    return call->host->parallel(call, p->groups * b.panels * b.parts, (int64_t)(4e5 / work) + 1, scratch, run_part, &b);
}

/* -- the passes ---------------------------------------------------------------------------------------------------- */

static brain_product describe_out(const conv_shape* s, const conv_arrays* arrays) {
    const int64_t plane = conv_volume(s->out);
    return (brain_product){
        .view = data_view(s, NULL),
        .weights = forward_weights(s, NULL),
        .data = (const uint16_t*)arrays->data, .weight = (const uint16_t*)arrays->weight,
        .bias = (const uint16_t*)arrays->bias,
        .out = {(uint16_t*)arrays->out, s->groups * s->out_channels * plane, plane, s->out[2], 1},
        .images = s->n, .groups = s->groups, .channels = s->in_channels, .filters = s->out_channels,
    };
}

static int32_t run_out(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays) {
    brain_product p = describe_out(&plan->shape, arrays);
    p.finish = arrays->epilogue ? call : NULL;
    return run_product(call, &p, (uint16_t*)arrays->workspace);
}

static brain_product describe_data(const conv_shape* s, const conv_arrays* arrays, const phase* y, const phase* x) {
    const int64_t plane = conv_volume(s->in), width = s->in[2];
    return (brain_product){
        .view = phase_view(s, y, x), .weights = phase_weights(s, y, x),
        .data = (const uint16_t*)arrays->out, .weight = (const uint16_t*)arrays->weight,
        .bias = (const uint16_t*)arrays->bias,
        .out = {(uint16_t*)arrays->data, s->groups * s->in_channels * plane, plane, s->stride[1] * width, s->stride[2]},
        .images = s->n, .groups = s->groups, .channels = s->out_channels, .filters = s->in_channels,
    };
}

static int32_t run_data(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays) {
    const conv_shape* s = &plan->shape;
    phases_fill(s, arrays->bias, arrays->data);
    for (int64_t i = 0; i < s->stride[1] * s->stride[2]; i++) {
        const phase y = phase_of(s, 1, i / s->stride[2]), x = phase_of(s, 2, i % s->stride[2]);
        if (!phases_exist(&y, &x)) continue;
        brain_product p = describe_data(s, arrays, &y, &x);
        p.weight += phase_first_weight(s, &y, &x);
        p.out.data += y.first * s->in[2] + x.first;
        const int32_t status = run_product(call, &p, (uint16_t*)arrays->workspace);
        if (status) return status;
    }
    return OPFORGE_OK;
}

/* Whether Winograd's convolution in float32 is estimated to be faster, as measured. */
static int is_for_winograd(const brain_product* p) {
    const product same = {
        .image_view = p->view, .target = {.step = p->out.step}, .images = p->images, .channels = p->channels,
        .filters = p->filters,
    };
    return p->images * image_positions(&p->view) >= WINOGRAD_COLUMNS && winograd_share(&same) < 0.33;
}

int32_t brain_product_plan(opforge_call* call, conv_plan* plan) {
    const conv_shape* s = &plan->shape;
    const conv_arrays none = {0};
    brain_product p = describe_out(s, &none);
    if (plan->pass == CONV_DATA) {
        const phase y = phase_of(s, 1, 0), x = phase_of(s, 2, 0);
        p = describe_data(s, &none, &y, &x);
    }
    if (is_for_winograd(&p)) return OPFORGE_OK;
    if (plan->pass == CONV_DATA) {
        p.view.taps_y = s->kernel[1]; /* no phase has more */
        p.view.taps_x = s->kernel[2];
    }
    plan->workspace_bytes = plan->pass == CONV_OUT && has_rows(&p) ? 0 : workspace_of(&p) * (int64_t)sizeof(uint16_t);
    plan->finishes = plan->pass == CONV_OUT && brain_finishes(call, conv_volume(s->out));
    plan->run = plan->pass == CONV_OUT ? run_out : run_data;
    return OPFORGE_OK;
}

#endif
