/* The general path: im2col in blocks, and matrix products. Any number of dimensions, float32 and float64. The
 * division of work, and therefore the results, do not depend on the number of threads. */
#include "patches.h"

enum {
    BLOCK_BYTES = 1 << 20, /* of patches, which stay cached until they are used */
    MIN_COLUMNS = 64,    /* of a block: with fewer, a product spends its time on the weight */
    MIN_ROWS = 16,       /* of a block that a worker owns */
    BALANCED_UNITS = 16,       /* units of work that balance well on a few threads */
    GRAIN_WORK = 1 << 18,  /* multiplications that are worth a part of a loop */
};

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t quotient_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Data shared by the parts of a loop. A unit of work is one of `divisions` of one group of one image. */
typedef struct work {
    opforge_call* call;
    const conv_shape* s;
    const conv_arrays* a;
    int64_t item, taps, rows, positions; /* bytes of an element; filter elements per channel, and in all; output positions */
    int64_t columns;                  /* of a block of patches */
    int64_t divisions, division;      /* parts of a group's work, and the length of a part */
    int plain;
} work;

static work begin_work(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays) {
    const conv_shape* s = &plan->shape;
    work w = {.call = call, .s = s, .a = arrays, .item = opforge_item_size(s->dtype)};
    w.taps = conv_volume(s->kernel);
    w.rows = w.taps * s->in_channels;
    w.positions = conv_volume(s->out);
    w.plain = conv_is_identity(s);
    return w;
}

/* Choose the number of columns of a block of patches with `rows` rows. */
static void choose_columns(work* w, int64_t rows) {
    int64_t fitting = BLOCK_BYTES / larger(rows * w->item, 1);
    w->columns = smaller(larger(fitting, MIN_COLUMNS), larger(w->positions, 1));
}

/* Divide the work of one group, of `length` rows or columns, into parts of at least `least`. */
static void divide(work* w, int64_t units, int64_t length, int64_t least) {
    int64_t wanted = smaller(quotient_up(BALANCED_UNITS, larger(units, 1)), larger(length / least, 1));
    w->division = larger(quotient_up(length, wanted), 1);
    w->divisions = quotient_up(length, w->division);
}

static int32_t run_units(work* w, int64_t units, int64_t work_of_unit, int64_t scratch_rows, opforge_part part) {
    int64_t scratch = w->plain ? 0 : scratch_rows * w->columns * w->item;
    int64_t grain = larger(GRAIN_WORK / larger(work_of_unit, 1), 1);
    return w->call->host->parallel(w->call, units * w->divisions, grain, scratch, part, w);
}

/* The part of an array for one group of one image, or for one filter. */
static char* data_of(const work* w, int64_t unit) {
    return (char*)w->a->data + unit * w->s->in_channels * conv_volume(w->s->in) * w->item;
}

static char* out_of(const work* w, int64_t unit) {
    return (char*)w->a->out + unit * w->s->out_channels * w->positions * w->item;
}

static char* weight_of(const work* w, int64_t group) {
    return (char*)w->a->weight + group * w->s->out_channels * w->rows * w->item;
}

/* -- out = weight * patches: units are blocks of positions ------------------------------------------------- */

static int32_t out_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const work* w = (const work*)argument;
    const conv_shape* s = w->s;
    for (int64_t at = begin; at < end; at++) {
        int64_t unit = at / w->divisions, group = unit % s->groups, column = at % w->divisions * w->columns;
        conv_block block = {0, w->rows, column, smaller(column + w->columns, w->positions)};
        char *patches = data_of(w, unit) + column * w->item, *out = out_of(w, unit) + column * w->item;
        if (!w->plain) conv_unfold(s, &block, data_of(w, unit), patches = (char*)worker->scratch);
        opforge_gemm product = opforge_matmul(s->dtype, s->out_channels, block.column_end - column, w->rows,
                                              weight_of(w, group), patches, out);
        product.b_row = w->plain ? w->positions : 0;
        product.c_row = w->positions;
        product.bias = w->a->bias == NULL ? NULL : (const char*)w->a->bias + group * s->out_channels * w->item;
        product.bias_axis = 0;
        product.epilogue = w->a->epilogue;
        int32_t status = w->call->host->gemm(w->call, &product);
        if (status) return status;
    }
    return OPFORGE_OK;
}

static int32_t run_out(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays) {
    work w = begin_work(call, plan, arrays);
    choose_columns(&w, w.rows);
    w.divisions = quotient_up(w.positions, w.columns);
    return run_units(&w, w.s->n * w.s->groups, w.s->out_channels * w.rows * w.columns, w.rows, out_part);
}

/* -- data: weight^T * out are patches, which are added up: units are some channels ------------------------ */

static int32_t add_patches(const work* w, int64_t unit, int64_t first, conv_block* block, char* scratch) {
    const conv_shape* s = w->s;
    char *data = data_of(w, unit) + first * conv_volume(s->in) * w->item, *patches = scratch;
    if (w->plain) patches = data + block->column * w->item;
    opforge_gemm product = opforge_matmul(
        s->dtype, block->row_end, block->column_end - block->column, s->out_channels,
        weight_of(w, unit % s->groups) + first * w->taps * w->item, out_of(w, unit) + block->column * w->item, patches);
    product.transpose_a = 1;
    product.a_row = w->rows;
    product.b_row = w->positions;
    product.c_row = w->plain ? w->positions : 0;
    int32_t status = w->call->host->gemm(w->call, &product);
    if (!status && !w->plain) conv_fold(s, block, patches, data);
    return status;
}

static int32_t data_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const work* w = (const work*)argument;
    for (int64_t at = begin; at < end; at++) {
        int64_t unit = at / w->divisions, first = at % w->divisions * w->division;
        int64_t channels = smaller(w->division, w->s->in_channels - first), volume = conv_volume(w->s->in) * w->item;
        if (!w->plain) memset(data_of(w, unit) + first * volume, 0, (size_t)(channels * volume));
        conv_block block = {.row_end = channels * w->taps};
        for (; block.column < w->positions; block.column = block.column_end) {
            block.column_end = smaller(block.column + w->columns, w->positions);
            int32_t status = add_patches(w, unit, first, &block, (char*)worker->scratch);
            if (status) return status;
        }
    }
    return OPFORGE_OK;
}

static int32_t run_data(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays) {
    work w = begin_work(call, plan, arrays);
    int64_t units = w.s->n * w.s->groups;
    divide(&w, units, w.s->in_channels, 1);
    int64_t rows = w.division * w.taps;
    choose_columns(&w, rows);
    int32_t status = run_units(&w, units, rows * w.s->out_channels * w.positions, rows, data_part);
    if (status || arrays->bias == NULL) return status;
    conv_add_bias(call, w.s->dtype, w.s->n, w.s->groups * w.s->in_channels, conv_volume(w.s->in), arrays->bias,
                  arrays->data);
    return OPFORGE_OK;
}

/* -- weight = out * patches^T, over all images: units are some rows of the patches ------------------------ */

static int32_t add_to_weight(const work* w, int64_t unit, const conv_block* block, char* scratch) {
    const conv_shape* s = w->s;
    char *data = data_of(w, unit), *patches = scratch;
    if (w->plain) patches = data + (block->row * w->positions + block->column) * w->item;
    else conv_unfold(s, block, data, patches);
    opforge_gemm product = opforge_matmul(s->dtype, s->out_channels, block->row_end - block->row,
                                          block->column_end - block->column, out_of(w, unit) + block->column * w->item,
                                          patches, weight_of(w, unit % s->groups) + block->row * w->item);
    product.transpose_b = 1;
    product.a_row = w->positions;
    product.b_row = w->plain ? w->positions : 0;
    product.c_row = w->rows;
    product.beta = 1;
    return w->call->host->gemm(w->call, &product);
}

static int32_t weight_part(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const work* w = (const work*)argument;
    for (int64_t at = begin; at < end; at++) {
        int64_t group = at / w->divisions, row = at % w->divisions * w->division;
        conv_block block = {.row = row, .row_end = smaller(row + w->division, w->rows)};
        for (int64_t image = 0; image < w->s->n; image++) {
            for (block.column = 0; block.column < w->positions; block.column = block.column_end) {
                block.column_end = smaller(block.column + w->columns, w->positions);
                int32_t status = add_to_weight(w, image * w->s->groups + group, &block, (char*)worker->scratch);
                if (status) return status;
            }
        }
    }
    return OPFORGE_OK;
}

static int32_t run_weight(opforge_call* call, const conv_plan* plan, const conv_arrays* arrays) {
    work w = begin_work(call, plan, arrays);
    const conv_shape* s = w.s;
    memset(arrays->weight, 0, (size_t)(s->groups * s->out_channels * w.rows * w.item));
    divide(&w, s->groups, w.rows, MIN_ROWS);
    choose_columns(&w, w.division);
    return run_units(&w, s->groups, s->n * w.division * s->out_channels * w.positions, w.division, weight_part);
}

int32_t conv_general_plan(opforge_call* call, conv_plan* plan) {
    (void)call;
    plan->finishes = plan->pass == CONV_OUT;
    plan->run = plan->pass == CONV_OUT ? run_out : plan->pass == CONV_DATA ? run_data : run_weight;
    return OPFORGE_OK;
}
