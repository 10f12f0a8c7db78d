/* The operator _contrib_bipartite_matching. */
#include <opforge/float16.h>

#include "operators.h"
#include "arena.h"

enum { PART = 4096 }; /* minimum number of scores in a part of the loop */

typedef struct matching_work {
    const void* scores;
    void *of_rows, *of_columns; /* matched column of each row, and row of each column */
    int64_t rows, columns, topk; /* like MXNet, stop after topk + 1 matches */
    double threshold;
    int is_ascend;
} matching_work;

#define KERNELS "kernels/matching.h"
#include "kernels/for_types.h"

static int32_t forward(opforge_call* call) {
    const opforge_tensor *data = &call->inputs[0], *of_rows = &call->outputs[0], *of_columns = &call->outputs[1];
    if (opforge_is_half(data->dtype)) return opforge_in_float32(call, forward);
    int is_single = data->dtype == OPFORGE_FLOAT32;
    matching_work w = {data->data, of_rows->data, of_columns->data};
    w.rows = data->shape[data->ndim - 2];
    w.columns = data->shape[data->ndim - 1];
    int64_t size = w.rows * w.columns, topk = opforge_find(call, "topk")->integer;
    w.topk = topk > 0 ? topk : INT64_MAX;
    w.threshold = opforge_find(call, "threshold")->number;
    w.is_ascend = opforge_find(call, "is_ascend")->integer != 0;
    if (size > INT32_MAX)
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "input 'data' has matrices of %lld scores; expected at most %d",
                            (long long)size, INT32_MAX);
    arena needed = {NULL, 0};
    make_ranking_f64(&needed, size);
    /* Columns of a matrix without rows are unmatched, and vice versa. */
    int64_t matrices = w.rows > 0 ? opforge_count(of_rows) / w.rows : w.columns > 0 ? opforge_count(of_columns) / w.columns : 0;
    return call->host->parallel(call, matrices, 1 + PART / (size + 1), needed.offset,
                                is_single ? match_part_f32 : match_part_f64, &w);
}

const opforge_operator detection_bipartite_matching = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "_contrib_bipartite_matching",
    .forward = forward,
};
