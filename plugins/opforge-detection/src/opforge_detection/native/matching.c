/* The operator _contrib_bipartite_matching. */
#include <opforge/float16.h>

#include "attributes.h"
#include "operators.h"
#include "room.h"

enum { PART = 4096 }; /* scores that a part of the loop sorts at least */

typedef struct matching_work {
    const void* scores;
    void *of_rows, *of_columns; /* with which column each row is matched, and the other way */
    int64_t rows, columns, topk; /* MXNet ends behind one match more than topk */
    double threshold;
    int is_ascend;
} matching_work;

#define KERNELS "kernels/ranking.h"
#include "kernels/for_types.h"
#define KERNELS "kernels/matching.h"
#include "kernels/for_types.h"

static int32_t forward(opforge_call* call) {
    const opforge_tensor *data = &call->inputs[0], *of_rows = &call->outputs[0], *of_columns = &call->outputs[1];
    if (data->dtype == OPFORGE_FLOAT16) return opforge_in_float32(call, forward);
    int is_single = data->dtype == OPFORGE_FLOAT32;
    matching_work w = {data->data, of_rows->data, of_columns->data};
    w.rows = data->shape[data->ndim - 2];
    w.columns = data->shape[data->ndim - 1];
    int64_t size = w.rows * w.columns, topk = whole_number(call, "topk");
    w.topk = topk > 0 ? topk : INT64_MAX;
    w.threshold = real_number(call, "threshold");
    w.is_ascend = whole_number(call, "is_ascend") != 0;
    if (size > INT32_MAX)
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "input 'data' has matrices of %lld scores, expected at most %d",
                            (long long)size, INT32_MAX);
    room needed = {NULL, 0};
    make_ranking_f64(&needed, size);
    /* A matrix without rows has columns that nothing is matched with, and the other way. */
    int64_t matrices = w.rows > 0 ? opforge_count(of_rows) / w.rows : w.columns > 0 ? opforge_count(of_columns) / w.columns : 0;
    return call->host->parallel(call, matrices, 1 + PART / (size + 1), needed.at,
                                is_single ? match_part_f32 : match_part_f64, &w);
}

const opforge_operator detection_bipartite_matching = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "_contrib_bipartite_matching",
    .forward = forward,
};
