/* Operators of linear algebra: checks of shapes, the choice of algorithms, and the library. */
#include <opforge/module.h>

#include "kernels/job.h"
#include "kernels/errors.h"
#include "kernels/layout_kinds.h"

#define TYPED "view.h"
#include "kernels/types.h"
#define TYPED "lanes.h"
#include "kernels/types.h"
#define TYPED "triangular.h"
#include "kernels/types.h"
#define TYPED "cholesky.h"
#include "kernels/types.h"
#define TYPED "lu.h"
#include "kernels/types.h"
#define TYPED "lapack.h"
#include "kernels/types.h"
#define TYPED "parts.h"
#include "kernels/types.h"
#define TYPED "layout.h"
#include "kernels/types.h"

/* The work of a part of a loop, in floating-point operations: about 5 microseconds. */
static const double PART_WORK = 4e4;
/* The work of a matrix that is itself divided among threads. */
static const double LARGE_WORK = 5e7;
/* Largest order for which the sizes of LAPACK's workspace fit 32 bits. */
enum { LARGEST = 30000 };

/* -- descriptions of calls ---------------------------------------------------------------------------------- */

static int is_set(const opforge_call* call, const char* name) {
    const opforge_attribute* found = opforge_find(call, name);
    return found != NULL && found->integer != 0;
}

static double number(const opforge_call* call, const char* name, double fallback) {
    const opforge_attribute* found = opforge_find(call, name);
    return found == NULL ? fallback : found->number;
}

/* Return the product of the dimensions [begin, end). */
static int64_t product(const opforge_tensor* tensor, int32_t begin, int32_t end) {
    int64_t total = 1;
    for (int32_t axis = begin; axis < end; axis++) total *= tensor->shape[axis];
    return total;
}

/* Return whether a tensor has at least `ndim` axes and `count` elements. */
static int holds(const opforge_tensor* tensor, int32_t ndim, int64_t count) {
    return tensor->ndim >= ndim && opforge_count(tensor) == count;
}

static int32_t unexpected(opforge_call* call) {
    return opforge_fail(call, OPFORGE_BAD_SHAPE, "the arrays have other shapes than infer_shape has returned");
}

/* What each matrix of A gives in each output. */
typedef enum result { MATRIX, NUMBER, OTHER } result;

/* Describe a call on square matrices A. */
static int32_t describe(opforge_call* call, job* j, result kind) {
    const opforge_tensor* a = &call->inputs[0];
    if (a->ndim < 2 || a->shape[a->ndim - 1] != a->shape[a->ndim - 2]) return unexpected(call);
    *j = (job){.call = call, .a = a->data, .out = call->outputs[0].data, .lower = is_set(call, "lower"),
               .transpose = is_set(call, "transpose"), .rightside = is_set(call, "rightside"),
               .alpha = number(call, "alpha", 1)};
    j->n = a->shape[a->ndim - 1];
    j->count = product(a, 0, a->ndim - 2);
    int64_t size = kind == MATRIX ? j->n * j->n : 1;
    for (int32_t i = 0; i < call->n_outputs && kind != OTHER; i++)
        if (opforge_count(&call->outputs[i]) != j->count * size) return unexpected(call);
    return OPFORGE_OK;
}

/* Run a loop over matrices. `work`: operations for one; `in_lanes`, `alone`: scratch memory for as many matrices as a
 * vector has lanes, in elements per lane, and for one matrix, in bytes. */
static int32_t run(job* j, opforge_part part, double work, int64_t in_lanes, int64_t alone) {
    opforge_call* call = j->call;
    int is_float = call->inputs[0].dtype == OPFORGE_FLOAT32;
    int64_t lanes = is_float ? OF_LANES_f32v : OF_LANES_f64v;
    j->in_lanes = in_lanes > 0 && j->n <= LANES_ROWS && j->count >= lanes / 4;
    int64_t units = j->in_lanes ? (j->count + lanes - 1) / lanes : j->count;
    int64_t bytes = j->in_lanes ? in_lanes * OF_VECTOR_BYTES : alone;
    if (j->in_lanes) work *= (double)lanes;
    if (units == 0) return OPFORGE_OK;
    if (!j->in_lanes && (units == 1 || work > LARGE_WORK)) {
        opforge_worker worker = {.scratch = call->host->scratch(call, bytes + 64), .index = 0, .count = 1};
        if (worker.scratch == NULL) return OPFORGE_NO_MEMORY;
        return part(j, &worker, 0, units);
    }
    return call->host->parallel(call, units, 1 + (int64_t)(PART_WORK / (work + 1)), bytes + 64, part, j);
}

#define TYPED_PART(call, name) ((call)->inputs[0].dtype == OPFORGE_FLOAT32 ? name##_f32 : name##_f64)

/* -- factors and inverses ----------------------------------------------------------------------------------- */

static double cube(int64_t n) { return (double)n * (double)n * (double)n; }

static int32_t potrf(opforge_call* call) {
    job j;
    int32_t status = describe(call, &j, MATRIX);
    if (status || j.count * j.n == 0) return status;
    return run(&j, TYPED_PART(call, potrf_part), cube(j.n) / 3, j.n * j.n, 0);
}

static int32_t potri(opforge_call* call) {
    job j;
    int32_t status = describe(call, &j, MATRIX);
    if (status || j.count * j.n == 0) return status;
    int64_t item = opforge_item_size(call->inputs[0].dtype);
    return run(&j, TYPED_PART(call, potri_part), 3 * cube(j.n), 2 * j.n * j.n, j.n * j.n * item);
}

static int32_t invert(opforge_call* call, int is_lenient, int transpose) {
    job j;
    int32_t status = describe(call, &j, MATRIX);
    if (status || j.count * j.n == 0) return status;
    j.is_lenient = is_lenient;
    j.transpose = transpose;
    return run(&j, TYPED_PART(call, inverse_part), 2 * cube(j.n), j.n * j.n + j.n, TYPED_PART(call, factor_bytes)(j.n));
}

static int32_t inverse(opforge_call* call) { return invert(call, 0, 0); }
static int32_t transposed_inverse(opforge_call* call) { return invert(call, 1, 1); }

static int32_t determinants(opforge_call* call) {
    job j;
    int32_t status = describe(call, &j, NUMBER);
    if (status || j.count == 0) return status;
    if (call->n_outputs > 1) j.second = call->outputs[1].data;
    return run(&j, TYPED_PART(call, det_part), 2 * cube(j.n) / 3, j.n * j.n + 2 * j.n,
               TYPED_PART(call, factor_bytes)(j.n));
}

/* -- triangles ---------------------------------------------------------------------------------------------- */

static int32_t triangular(opforge_call* call, int is_product) {
    job j;
    const opforge_tensor *b = &call->inputs[1], *out = &call->outputs[0];
    int32_t status = describe(call, &j, OTHER);
    if (status) return status;
    if (b->ndim < 2 || !holds(out, 2, opforge_count(b))) return unexpected(call);
    int64_t n = b->shape[b->ndim - (j.rightside ? 1 : 2)];
    j.m = b->shape[b->ndim - (j.rightside ? 2 : 1)];
    if (n != j.n || product(b, 0, b->ndim - 2) != j.count) return unexpected(call);
    if (out->byte_size == 0) return OPFORGE_OK;
    j.b = b->data;
    j.is_product = is_product;
    int64_t columns = j.m < LANES_COLUMNS ? j.m : LANES_COLUMNS;
    return run(&j, TYPED_PART(call, triangle_part), (double)n * (double)n * (double)j.m, n * (n + columns), 0);
}

static int32_t trsm(opforge_call* call) { return triangular(call, 0); }
static int32_t trmm(opforge_call* call) { return triangular(call, 1); }

/* -- LAPACK ------------------------------------------------------------------------------------------------- */

static int32_t find_routines(job* j, const char* first, const char* second) {
    j->first_routine = j->call->host->routine(j->call, first);
    j->second_routine = second == NULL ? j->first_routine : j->call->host->routine(j->call, second);
    return j->first_routine == NULL || j->second_routine == NULL ? OPFORGE_ERROR : OPFORGE_OK;
}

static int32_t syevd(opforge_call* call) {
    job j;
    int32_t status = describe(call, &j, OTHER);
    if (status || j.count * j.n == 0) return status;
    if (j.n > LARGEST) return too_large(call, j.n, LARGEST);
    j.second = call->outputs[1].data;
    if (!holds(&call->outputs[0], 2, opforge_count(&call->inputs[0])) || !holds(&call->outputs[1], 1, j.count * j.n))
        return unexpected(call);
    int is_float = call->inputs[0].dtype == OPFORGE_FLOAT32;
    status = find_routines(&j, is_float ? "ssyevd" : "dsyevd", NULL);
    return status ? status : run(&j, TYPED_PART(call, syevd_part), 9 * cube(j.n), 0, TYPED_PART(call, syevd_bytes)(j.n));
}

static int32_t gelqf(opforge_call* call) {
    const opforge_tensor* a = &call->inputs[0];
    job j = {.call = call, .a = a->data, .out = call->outputs[0].data, .second = call->outputs[1].data};
    if (a->ndim < 2) return unexpected(call);
    j.n = a->shape[a->ndim - 2];
    j.m = a->shape[a->ndim - 1];
    j.count = product(a, 0, a->ndim - 2);
    if (j.n > j.m || !holds(&call->outputs[0], 2, opforge_count(a)) || !holds(&call->outputs[1], 2, j.count * j.n * j.n))
        return unexpected(call);
    if (a->byte_size == 0) return OPFORGE_OK;
    if (j.m > LARGEST) return too_large(call, j.m, LARGEST);
    int is_float = a->dtype == OPFORGE_FLOAT32;
    int32_t status = find_routines(&j, is_float ? "sgeqrf" : "dgeqrf", is_float ? "sorgqr" : "dorgqr");
    double work = 4 * (double)j.n * (double)j.n * (double)j.m;
    return status ? status : run(&j, TYPED_PART(call, gelqf_part), work, 0, TYPED_PART(call, gelqf_bytes)(j.n));
}

/* -- products ----------------------------------------------------------------------------------------------- */

/* Multiply the matrices whose rows are along `axis` and whose columns are along the last axis. */
static int32_t multiply_along(opforge_call* call, int32_t axis, opforge_gemm* g) {
    const opforge_tensor *a = &call->inputs[0], *b = &call->inputs[1];
    opforge_tensor* out = &call->outputs[0];
    int32_t last = out->ndim - 1;
    int64_t item = opforge_item_size(out->dtype);
    int64_t outer = product(out, 0, axis), middle = product(out, axis + 1, last);
    int64_t loops = middle == 1 ? 1 : outer, sizes[3];
    const opforge_tensor* tensors[3] = {a, b, out};
    int64_t* rows[3] = {&g->a_row, &g->b_row, &g->c_row};
    int64_t* nexts[3] = {&g->a_next, &g->b_next, &g->c_next};
    for (int i = 0; i < 3; i++) {
        int64_t cols = tensors[i]->shape[last];
        sizes[i] = middle * cols * tensors[i]->shape[axis];
        *rows[i] = middle * cols;
        *nexts[i] = middle == 1 ? sizes[i] : cols;
    }
    g->count = middle == 1 ? outer : middle;
    for (int64_t i = 0; i < loops; i++) {
        g->a = (const char*)a->data + i * sizes[0] * item;
        g->b = (const char*)b->data + i * sizes[1] * item;
        g->c = (char*)out->data + i * sizes[2] * item;
        int32_t status = call->host->gemm(call, g);
        if (status) return status;
    }
    return OPFORGE_OK;
}

static int32_t gemm(opforge_call* call) {
    const opforge_tensor *a = &call->inputs[0], *b = &call->inputs[1], *out = &call->outputs[0];
    int32_t ndim = out->ndim, last = ndim - 1, axis = (int32_t)number(call, "axis", -2);
    int transpose_a = is_set(call, "transpose_a"), transpose_b = is_set(call, "transpose_b");
    axis = axis < 0 ? axis + ndim : axis;
    if (ndim < 2 || a->ndim != ndim || b->ndim != ndim || axis < 0 || axis >= last) return unexpected(call);
    int64_t k = a->shape[transpose_a ? axis : last];
    int fits = a->shape[transpose_a ? last : axis] == out->shape[axis] && b->shape[transpose_b ? last : axis] == k &&
               b->shape[transpose_b ? axis : last] == out->shape[last];
    for (int32_t i = 0; i < last; i++)
        fits &= i == axis || (a->shape[i] == out->shape[i] && b->shape[i] == out->shape[i]);
    if (!fits || (call->n_inputs > 2 && !holds(&call->inputs[2], 2, opforge_count(out)))) return unexpected(call);
    if (out->byte_size == 0) return OPFORGE_OK;
    opforge_gemm g = opforge_matmul(out->dtype, out->shape[axis], out->shape[last], k, NULL, NULL, NULL);
    g.transpose_a = transpose_a;
    g.transpose_b = transpose_b;
    g.alpha = number(call, "alpha", 1);
    g.beta = call->n_inputs > 2 ? number(call, "beta", 1) : 0;
    if (k == 0 && g.beta == 0) return memset(out->data, 0, (size_t)out->byte_size), OPFORGE_OK;
    if (g.beta != 0) memcpy(out->data, call->inputs[2].data, (size_t)out->byte_size);
    return multiply_along(call, axis, &g);
}

static int32_t syrk(opforge_call* call) {
    const opforge_tensor *a = &call->inputs[0], *out = &call->outputs[0];
    if (a->ndim < 2) return unexpected(call);
    int is_transposed = is_set(call, "transpose");
    int64_t rows = a->shape[a->ndim - 2], cols = a->shape[a->ndim - 1], count = product(a, 0, a->ndim - 2);
    int64_t n = is_transposed ? cols : rows, k = is_transposed ? rows : cols;
    if (!holds(out, 2, count * n * n)) return unexpected(call);
    if (out->byte_size == 0) return OPFORGE_OK;
    if (k == 0) return memset(out->data, 0, (size_t)out->byte_size), OPFORGE_OK;
    opforge_gemm g = opforge_matmul(a->dtype, n, n, k, a->data, a->data, out->data);
    g.transpose_a = is_transposed;
    g.transpose_b = !is_transposed;
    g.count = count;
    g.a_next = g.b_next = n * k;
    g.c_next = n * n;
    g.alpha = number(call, "alpha", 1);
    int32_t status = call->host->gemm(call, &g);
    if (!status) TYPED_PART(call, mirror)(out->data, out->data, count, n, 1); /* rounded equally */
    return status;
}

/* -- diagonals and triangles as vectors ---------------------------------------------------------------------- */

/* Describe the elements that the attributes select from `count` matrices of order n. */
static layout layout_of(const opforge_call* call, int64_t count, int64_t n, int is_diagonal) {
    int64_t offset = (int64_t)number(call, "offset", 0), down = offset < 0 ? -offset : 0, right = offset > 0 ? offset : 0;
    int is_lower = offset < 0 || (offset == 0 && is_set(call, "lower"));
    return (layout){.kind = is_diagonal ? DIAGONAL : is_lower ? LOWER : UPPER, .count = count, .n = n,
                    .side = n - down - right, .down = down, .right = right};
}

static int32_t move(opforge_call* call, int is_making, int is_diagonal) {
    const opforge_tensor *from = &call->inputs[0], *to = &call->outputs[0];
    const opforge_tensor* matrices = is_making ? to : from;
    int32_t ndim = matrices->ndim;
    if (ndim < 2 || matrices->shape[ndim - 1] != matrices->shape[ndim - 2]) return unexpected(call);
    layout s = layout_of(call, product(matrices, 0, ndim - 2), matrices->shape[ndim - 1], is_diagonal);
    if (s.side < 0 || !holds(is_making ? from : to, 1, s.count * layout_length(&s))) return unexpected(call);
    if (to->byte_size == 0) return OPFORGE_OK;
    if (is_making) memset(to->data, 0, (size_t)to->byte_size);
    if (from->byte_size == 0) return OPFORGE_OK;
    TYPED_PART(call, move_elements)(&s, from->data, to->data, is_making);
    return OPFORGE_OK;
}

static int32_t makediag(opforge_call* call) { return move(call, 1, 1); }
static int32_t extractdiag(opforge_call* call) { return move(call, 0, 1); }
static int32_t maketrian(opforge_call* call) { return move(call, 1, 0); }
static int32_t extracttrian(opforge_call* call) { return move(call, 0, 0); }

static int32_t sumlogdiag(opforge_call* call) {
    job j;
    int32_t status = describe(call, &j, NUMBER);
    if (status || j.count == 0) return status;
    TYPED_PART(call, sum_logarithms)(j.a, j.out, j.count, j.n);
    return OPFORGE_OK;
}

static int32_t mirror(opforge_call* call) {
    job j;
    int32_t status = describe(call, &j, MATRIX);
    if (status || j.count * j.n == 0) return status;
    TYPED_PART(call, mirror)(j.a, j.out, j.count, j.n, j.lower);
    return OPFORGE_OK;
}

static int32_t keep(opforge_call* call) {
    job j;
    int32_t status = describe(call, &j, MATRIX);
    if (status || j.count * j.n == 0) return status;
    TYPED_PART(call, keep)(j.a, j.out, j.count, j.n, j.lower);
    return OPFORGE_OK;
}

/* -- the library -------------------------------------------------------------------------------------------- */

#define OPERATOR(identifier, title, function)                                                \
    static const opforge_operator identifier = {                                             \
        .head = OPFORGE_HEAD(opforge_operator), .name = title, .forward = function}

OPERATOR(potrf_operator, "_linalg_potrf", potrf);
OPERATOR(potri_operator, "_linalg_potri", potri);
OPERATOR(trsm_operator, "_linalg_trsm", trsm);
OPERATOR(trmm_operator, "_linalg_trmm", trmm);
OPERATOR(gemm_operator, "_linalg_gemm", gemm);
OPERATOR(gemm2_operator, "_linalg_gemm2", gemm);
OPERATOR(syrk_operator, "_linalg_syrk", syrk);
OPERATOR(gelqf_operator, "_linalg_gelqf", gelqf);
OPERATOR(syevd_operator, "_linalg_syevd", syevd);
OPERATOR(det_operator, "_linalg_det", determinants);
OPERATOR(slogdet_operator, "_linalg_slogdet", determinants);
OPERATOR(inverse_operator, "_linalg_inverse", inverse);
OPERATOR(makediag_operator, "_linalg_makediag", makediag);
OPERATOR(extractdiag_operator, "_linalg_extractdiag", extractdiag);
OPERATOR(maketrian_operator, "_linalg_maketrian", maketrian);
OPERATOR(extracttrian_operator, "_linalg_extracttrian", extracttrian);
OPERATOR(sumlogdiag_operator, "_linalg_sumlogdiag", sumlogdiag);
OPERATOR(mirror_operator, "_mirror_triangle", mirror);
OPERATOR(keep_operator, "_keep_triangle", keep);
OPERATOR(transposed_inverse_operator, "_transposed_inverse", transposed_inverse);

OPFORGE_MODULE(_native, &potrf_operator, &potri_operator, &trsm_operator, &trmm_operator, &gemm_operator,
               &gemm2_operator, &syrk_operator, &gelqf_operator, &syevd_operator, &det_operator, &slogdet_operator,
               &inverse_operator, &makediag_operator, &extractdiag_operator, &maketrian_operator,
               &extracttrian_operator, &sumlogdiag_operator, &mirror_operator, &keep_operator,
               &transposed_inverse_operator);
