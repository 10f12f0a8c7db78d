/* MXNet's interleaved products. The heads of all samples are strided matrices at regular offsets: one batched
 * call of `gemm` multiplies them all. */
#include <math.h>

#include "operators.h"

/* The matrices of all heads in an array: queries, keys, values or scores. */
typedef struct matrices {
    char* data;
    int64_t row, next; /* elements between rows, and between the matrices of consecutive heads */
} matrices;

/* Sizes of the products of a call. */
typedef struct sizes {
    opforge_dtype dtype;
    int64_t count, queries, keys, depth;
} sizes;

/* Part `part` of the `parts` of each head in an array of shape (length, batch, heads * parts * depth). */
static matrices part_of(const opforge_tensor* array, const sizes* s, int part, int parts) {
    matrices m = {(char*)array->data, array->shape[1] * array->shape[2], parts * s->depth};
    if (m.data != NULL) m.data += part * s->depth * opforge_item_size(array->dtype);
    return m;
}

/* Check an input's shape again: inference treats a length 0 as unknown. */
static int32_t expect(opforge_call* call, const opforge_tensor* array, int64_t first, int64_t second,
                      int64_t third) {
    const int64_t* got = array->shape;
    if (array->ndim != 3) return opforge_fail(call, OPFORGE_BAD_SHAPE, "an input has %d axes; expected 3", array->ndim);
    if (got[0] == first && got[1] == second && got[2] == third) return OPFORGE_OK;
    return opforge_fail(call, OPFORGE_BAD_SHAPE,
                        "an input has shape (%lld, %lld, %lld); expected (%lld, %lld, %lld) because of the other input",
                        (long long)got[0], (long long)got[1], (long long)got[2], (long long)first, (long long)second,
                        (long long)third);
}

/* Scores, or weights: (heads of all samples, queries, keys). */
static matrices pairs_of(const opforge_tensor* array, const sizes* s) {
    return (matrices){(char*)array->data, s->keys, s->queries * s->keys};
}

static double scale_of(const sizes* s) { return s->depth > 0 ? 1 / sqrt((double)s->depth) : 1; }

/* c = alpha * op(a) op(b), with c of m rows of n. */
static int32_t multiply(opforge_call* call, const sizes* s, double alpha, int64_t m, int64_t n, int64_t k,
                        matrices a, int transpose_a, matrices b, int transpose_b, matrices c) {
    if (m == 0 || n == 0 || s->count == 0) return OPFORGE_OK;
    opforge_gemm product = opforge_matmul(s->dtype, m, n, k, a.data, b.data, c.data);
    product.transpose_a = transpose_a;
    product.transpose_b = transpose_b;
    product.alpha = alpha;
    product.count = s->count;
    product.a_row = a.row, product.a_next = a.next;
    product.b_row = b.row, product.b_next = b.next;
    product.c_row = c.row, product.c_next = c.next;
    return call->host->gemm(call, &product);
}

/* -- scores = queries keys^T / sqrt(depth) --------------------------------------------------------------- */

static int32_t score(opforge_call* call, const sizes* s, matrices queries, matrices keys) {
    return multiply(call, s, scale_of(s), s->queries, s->keys, s->depth, queries, 0, keys, 1,
                    pairs_of(&call->outputs[0], s));
}

static int32_t score_back(opforge_call* call, const sizes* s, const matrices values[2], const matrices grads[2]) {
    matrices scores = pairs_of(&call->out_grads[0], s);
    int32_t status = multiply(call, s, scale_of(s), s->queries, s->depth, s->keys, scores, 0, values[1], 0, grads[0]);
    if (status) return status;
    return multiply(call, s, scale_of(s), s->keys, s->depth, s->queries, scores, 1, values[0], 0, grads[1]);
}

/* -- output = weights values ----------------------------------------------------------------------------- */

static int32_t apply_weights(opforge_call* call, const sizes* s, matrices values) {
    return multiply(call, s, 1, s->queries, s->depth, s->keys, pairs_of(&call->inputs[1], s), 0, values, 0,
                    part_of(&call->outputs[0], s, 0, 1));
}

static int32_t apply_weights_back(opforge_call* call, const sizes* s, matrices values, matrices grads) {
    matrices out = part_of(&call->out_grads[0], s, 0, 1);
    int32_t status = multiply(call, s, 1, s->queries, s->keys, s->depth, out, 0, values, 1,
                              pairs_of(&call->in_grads[1], s));
    if (status) return status;
    return multiply(call, s, 1, s->keys, s->depth, s->queries, pairs_of(&call->inputs[1], s), 1, out, 0, grads);
}

/* -- the four operators ---------------------------------------------------------------------------------- */

static void clear(const opforge_tensor* array) {
    if (array->byte_size > 0) memset(array->data, 0, (size_t)array->byte_size);
}

static int64_t heads_of(const opforge_call* call) { return opforge_find(call, "heads")->integer; }

/* Sizes from a projection of `parts` parts per head, with one row per key. */
static sizes sizes_of(const opforge_call* call, const opforge_tensor* projection, int parts, int64_t queries) {
    int64_t heads = heads_of(call);
    return (sizes){projection->dtype, projection->shape[1] * heads, queries, projection->shape[0],
                   projection->shape[2] / (parts * heads)};
}

static int32_t self_scores_forward(opforge_call* call) {
    const opforge_tensor* data = &call->inputs[0];
    sizes s = sizes_of(call, data, 3, data->shape[0]);
    return score(call, &s, part_of(data, &s, 0, 3), part_of(data, &s, 1, 3));
}

static int32_t self_scores_backward(opforge_call* call) {
    const opforge_tensor *data = &call->inputs[0], *grad = &call->in_grads[0];
    sizes s = sizes_of(call, data, 3, data->shape[0]);
    clear(grad);
    return score_back(call, &s, (matrices[]){part_of(data, &s, 0, 3), part_of(data, &s, 1, 3)},
                      (matrices[]){part_of(grad, &s, 0, 3), part_of(grad, &s, 1, 3)});
}

static int32_t self_values_forward(opforge_call* call) {
    const opforge_tensor* data = &call->inputs[0];
    sizes s = sizes_of(call, data, 3, data->shape[0]);
    int32_t status = expect(call, &call->inputs[1], s.count, s.queries, s.keys);
    if (status) return status;
    return apply_weights(call, &s, part_of(data, &s, 2, 3));
}

static int32_t self_values_backward(opforge_call* call) {
    const opforge_tensor *data = &call->inputs[0], *grad = &call->in_grads[0];
    sizes s = sizes_of(call, data, 3, data->shape[0]);
    clear(grad);
    return apply_weights_back(call, &s, part_of(data, &s, 2, 3), part_of(grad, &s, 2, 3));
}

static int32_t cross_scores_forward(opforge_call* call) {
    const opforge_tensor* in = call->inputs;
    sizes s = sizes_of(call, &in[1], 2, in[0].shape[0]);
    int32_t status = expect(call, &in[0], s.queries, in[1].shape[1], heads_of(call) * s.depth);
    if (status) return status;
    return score(call, &s, part_of(&in[0], &s, 0, 1), part_of(&in[1], &s, 0, 2));
}

static int32_t cross_scores_backward(opforge_call* call) {
    const opforge_tensor *in = call->inputs, *grad = call->in_grads;
    sizes s = sizes_of(call, &in[1], 2, in[0].shape[0]);
    clear(&grad[0]);
    clear(&grad[1]);
    return score_back(call, &s, (matrices[]){part_of(&in[0], &s, 0, 1), part_of(&in[1], &s, 0, 2)},
                      (matrices[]){part_of(&grad[0], &s, 0, 1), part_of(&grad[1], &s, 0, 2)});
}

static int32_t cross_values_forward(opforge_call* call) {
    const opforge_tensor* in = call->inputs;
    sizes s = sizes_of(call, &in[0], 2, in[1].shape[1]);
    int32_t status = expect(call, &in[1], s.count, s.queries, s.keys);
    if (status) return status;
    return apply_weights(call, &s, part_of(&in[0], &s, 1, 2));
}

static int32_t cross_values_backward(opforge_call* call) {
    const opforge_tensor *in = call->inputs, *grad = call->in_grads;
    sizes s = sizes_of(call, &in[0], 2, in[1].shape[1]);
    clear(&grad[0]);
    return apply_weights_back(call, &s, part_of(&in[0], &s, 1, 2), part_of(&grad[0], &s, 1, 2));
}

#define OPERATOR(symbol, title)                                                        \
    const opforge_operator symbol = {                                                  \
        .head = OPFORGE_HEAD(opforge_operator),                                        \
        .name = "_contrib_interleaved_matmul_" title,                                  \
        .forward = symbol##_forward,                                                   \
        .backward = symbol##_backward,                                                 \
    }

OPERATOR(self_scores, "selfatt_qk");
OPERATOR(self_values, "selfatt_valatt");
OPERATOR(cross_scores, "encdec_qk");
OPERATOR(cross_values, "encdec_valatt");
