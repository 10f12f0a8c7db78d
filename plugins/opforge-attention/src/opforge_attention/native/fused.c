/* scaled_dot_product_attention: what a call's shapes and attributes mean for the kernels. */
#include <opforge/float16.h>
#include <stdlib.h>

#include "fused.h"
#include "operators.h"

enum { QUERY, KEY, VALUE, FIRST_OPTION };         /* inputs; mask and lengths follow where they are used */
enum { OUTPUT, LOGSUMEXP, RANDOM_KEY };           /* outputs; the last one with dropout alone */
enum { MOST_AXES = OPFORGE_MAX_NDIM + 1 };         /* those of the query, and one of heads */
enum { FAIR_UNITS = 16, LEAST_CHUNK = 256 };      /* units that a few threads share fairly; keys of a chunk */

static int64_t whole_number(const opforge_call* call, const char* name, int64_t otherwise) {
    const opforge_attribute* found = opforge_find(call, name);
    return found == NULL || found->kind == OPFORGE_NONE ? otherwise : found->integer;
}

static int mask_at(const opforge_call* call) { return whole_number(call, "use_mask", 0) ? FIRST_OPTION : -1; }

static int lengths_at(const opforge_call* call) {
    if (!whole_number(call, "use_length", 0)) return -1;
    return FIRST_OPTION + (whole_number(call, "use_mask", 0) != 0);
}

/* -- plan ------------------------------------------------------------------------------------------------ */

/* Rows of an array with heads side by side in each row, or with heads apart. */
static rows describe(const opforge_tensor* array, int64_t heads, int side_by_side) {
    int64_t length = array->shape[array->ndim - 2], width = array->shape[array->ndim - 1];
    if (side_by_side) return (rows){.batch = length * width, .head = width / heads, .row = width};
    return (rows){.batch = heads * length * width, .head = length * width, .row = width};
}

static void measure(const opforge_call* call, attention* a) {
    const opforge_tensor *query = &call->inputs[QUERY], *key = &call->inputs[KEY], *value = &call->inputs[VALUE];
    int64_t heads = whole_number(call, "num_heads", 0);
    int side_by_side = heads > 0, leading = query->ndim - 2;
    if (!side_by_side) heads = leading > 0 ? query->shape[leading - 1] : 1;
    a->heads = larger(heads, 1); /* nothing is divided by 0 */
    a->units = side_by_side ? heads : 1;
    for (int axis = 0; axis < leading; axis++) a->units *= query->shape[axis];
    a->samples = leading > 0 ? query->shape[0] : 1;
    a->queries = query->shape[leading];
    a->keys = key->shape[leading];
    a->depth = query->shape[leading + 1] / (side_by_side ? heads : 1);
    a->value_depth = value->shape[leading + 1] / (side_by_side ? heads : 1);
    a->query = a->query_grad = describe(query, heads, side_by_side);
    a->key = a->key_grad = describe(key, heads, side_by_side);
    a->value = a->value_grad = describe(value, heads, side_by_side);
    a->out = a->out_grad = describe(&call->outputs[OUTPUT], heads, side_by_side);
}

/* The lengths of the axes that a mask is broadcast to, but those of queries and keys; how many they are. */
static int unit_axes(const opforge_call* call, const attention* a, int64_t lengths[MOST_AXES]) {
    const opforge_tensor* query = &call->inputs[QUERY];
    int count = query->ndim - 2;
    for (int axis = 0; axis < count; axis++) lengths[axis] = query->shape[axis];
    if (whole_number(call, "num_heads", 0) > 0) lengths[count++] = a->heads;
    return count;
}

/* Set a mask's steps, and where its elements for each unit begin. */
static int32_t spread_mask(opforge_call* call, attention* a, const opforge_tensor* array) {
    int64_t lengths[MOST_AXES], steps[MOST_AXES], step = 1;
    int axes = unit_axes(call, a, lengths), more = axes + 2 - array->ndim;
    lengths[axes] = a->queries, lengths[axes + 1] = a->keys;
    a->mask.kind = array->dtype == OPFORGE_BOOL || array->dtype == OPFORGE_UINT8 ? MASK_BYTES : MASK_ADDED;
    int64_t* units = (int64_t*)malloc((size_t)(a->units + 1) * sizeof *units);
    if (units == NULL) return OPFORGE_NO_MEMORY;
    a->mask.units = units;
    for (int axis = axes + 1; axis >= 0; axis--) {
        int64_t length = axis >= more ? array->shape[axis - more] : 1, here = length != 1 ? step : 0;
        if (length != 1 && length != lengths[axis]) {
            return opforge_fail(call, OPFORGE_BAD_SHAPE, "mask has %lld elements along axis %d, expected 1 or %lld",
                                (long long)length, axis - more, (long long)lengths[axis]);
        }
        if (axis == axes + 1) a->mask.column = here;
        else if (axis == axes) a->mask.row = here;
        else steps[axis] = here;
        step *= length;
    }
    for (int64_t unit = 0; unit < a->units; unit++) {
        int64_t rest = unit;
        units[unit] = 0;
        for (int axis = axes - 1; axis >= 0; axis--) {
            units[unit] += rest % lengths[axis] * steps[axis];
            rest /= lengths[axis];
        }
    }
    return OPFORGE_OK;
}

static void weigh_options(const opforge_call* call, attention* a) {
    const opforge_attribute *scale = opforge_find(call, "scale"), *dropout = opforge_find(call, "dropout");
    a->causal = whole_number(call, "causal", 0) != 0;
    a->scale = scale->kind != OPFORGE_NONE ? scale->number : a->depth > 0 ? 1 / sqrt((double)a->depth) : 1;
    a->dropped = (uint32_t)smaller((int64_t)(dropout->number * 4294967296.0), UINT32_MAX);
    a->kept_scale = dropout->number < 1 ? 1 / (1 - dropout->number) : 0;
}

static int64_t chunks_of(const attention* a) {
    return smaller(quotient_up(FAIR_UNITS, larger(a->units, 1)), larger(a->keys / LEAST_CHUNK, 1));
}

static int32_t unplan(opforge_call* call) {
    attention* a = (attention*)call->plan;
    free((void*)a->mask.units);
    free(a);
    return OPFORGE_OK;
}

/* Inference takes an array without axes for one whose shape is not known. */
static int32_t check_axes(opforge_call* call) {
    int32_t axes = call->inputs[QUERY].ndim, lengths = lengths_at(call);
    for (int32_t i = QUERY; i < FIRST_OPTION; i++) {
        if (call->inputs[i].ndim == axes && axes >= 2) continue;
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "query, key and value have %d, %d and %d axes, expected as many, at least 2",
                            axes, call->inputs[KEY].ndim, call->inputs[VALUE].ndim);
    }
    if (lengths < 0 || call->inputs[lengths].ndim > 0) return OPFORGE_OK;
    return opforge_fail(call, OPFORGE_BAD_SHAPE, "valid_length has no axes, expected 1 or 2");
}

/* Refuse inputs that do not belong together: inference takes the length 0 for one that is not known. */
static int32_t check_rows(opforge_call* call) {
    const opforge_tensor *query = &call->inputs[QUERY], *key = &call->inputs[KEY], *value = &call->inputs[VALUE];
    int width = query->ndim - 1;
    for (int axis = 0; axis < query->ndim; axis++) {
        int differs = axis != width - 1 && query->shape[axis] != key->shape[axis];
        if (differs || (axis != width && key->shape[axis] != value->shape[axis])) {
            return opforge_fail(call, OPFORGE_BAD_SHAPE, "query, key and value have the lengths %lld, %lld and %lld "
                                "along axis %d, which do not fit",
                                (long long)query->shape[axis], (long long)key->shape[axis],
                                (long long)value->shape[axis], axis);
        }
    }
    return OPFORGE_OK;
}

static int32_t check_lengths(opforge_call* call, const attention* a, const opforge_tensor* given) {
    if (given->shape[0] == a->samples && (given->ndim == 1 || given->shape[1] == a->queries)) return OPFORGE_OK;
    return opforge_fail(call, OPFORGE_BAD_SHAPE, "valid_length is for %lld samples, expected %lld of %lld queries",
                        (long long)given->shape[0], (long long)a->samples, (long long)a->queries);
}

static int32_t make_plan(opforge_call* call) {
    int32_t status = check_axes(call);
    if (!status) status = check_rows(call);
    if (status) return status;
    if (call->inputs[KEY].shape[call->inputs[KEY].ndim - 2] > INT32_MAX) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "key has more than %d rows; divide them", INT32_MAX);
    }
    attention* a = (attention*)calloc(1, sizeof *a);
    if (a == NULL) return OPFORGE_NO_MEMORY;
    measure(call, a);
    weigh_options(call, a);
    a->chunks = 1;
    if (call->stage == OPFORGE_BACKWARD) {
        int64_t item = call->inputs[QUERY].dtype == OPFORGE_FLOAT64 ? 8 : 4; /* float16 is computed in float32 */
        a->chunks = chunks_of(a);
        call->workspace_bytes = (a->chunks - 1) * a->units * a->queries * a->depth * item;
    }
    call->plan = a;
    if (lengths_at(call) >= 0) status = check_lengths(call, a, &call->inputs[lengths_at(call)]);
    if (!status && mask_at(call) >= 0) status = spread_mask(call, a, &call->inputs[mask_at(call)]);
    if (status) unplan(call), call->plan = NULL;
    return status;
}

/* -- calls ----------------------------------------------------------------------------------------------- */

/* The plan, with the arrays that both passes read. */
static attention begin(opforge_call* call) {
    attention a = *(const attention*)call->plan;
    a.call = call;
    a.query.data = call->inputs[QUERY].data;
    a.key.data = call->inputs[KEY].data;
    a.value.data = call->inputs[VALUE].data;
    a.out.data = call->outputs[OUTPUT].data;
    a.logsumexp = call->outputs[LOGSUMEXP].data;
    if (mask_at(call) >= 0) a.mask.data = call->inputs[mask_at(call)].data;
    if (lengths_at(call) >= 0) {
        const opforge_tensor* given = &call->inputs[lengths_at(call)];
        a.lengths = (lengths){given->data, given->dtype, given->ndim > 1};
    }
    return a;
}

static const attention_kernels* kernels_of(const opforge_call* call) {
    return call->inputs[QUERY].dtype == OPFORGE_FLOAT32 ? &attention_float32 : &attention_float64;
}

static int32_t forward(opforge_call* call) {
    if (call->inputs[QUERY].dtype == OPFORGE_FLOAT16) return opforge_in_float32(call, forward);
    attention a = begin(call);
    if (a.dropped) {
        // 0 says that nothing is dropped.
        a.random_key = call->is_train ? call->host->random_key(call) | 1 : 0;
        memcpy(call->outputs[RANDOM_KEY].data, &a.random_key, sizeof a.random_key);
        if (!call->is_train) a.dropped = 0;
    }
    if (a.units == 0 || a.queries == 0) return OPFORGE_OK;
    return kernels_of(call)->forward(&a);
}

static void* wanted(const opforge_call* call, int input) {
    return input >= 0 && call->wanted[input] ? call->in_grads[input].data : NULL;
}

static int32_t backward(opforge_call* call) {
    if (call->inputs[QUERY].dtype == OPFORGE_FLOAT16) return opforge_in_float32(call, backward);
    attention a = begin(call);
    a.out_grad.data = call->out_grads[OUTPUT].data;
    a.query_grad.data = wanted(call, QUERY);
    a.key_grad.data = wanted(call, KEY);
    a.value_grad.data = wanted(call, VALUE);
    a.partial = call->workspace;
    if (a.mask.kind == MASK_ADDED) a.mask_grad = wanted(call, mask_at(call));
    if (a.dropped) {
        memcpy(&a.random_key, call->outputs[RANDOM_KEY].data, sizeof a.random_key);
        if (a.random_key == 0) a.dropped = 0;
    }
    // Gradients that are added to, and those of what no query sees or that no kernel computes.
    for (int32_t i = 0; i < call->n_inputs; i++) {
        int is_added = i >= FIRST_OPTION || a.units * a.queries * a.keys == 0;
        if (is_added && wanted(call, i) != NULL) memset(call->in_grads[i].data, 0, (size_t)call->in_grads[i].byte_size);
    }
    if (a.units == 0 || a.queries == 0 || a.keys == 0) return OPFORGE_OK;
    return kernels_of(call)->backward(&a);
}

const opforge_operator attention_fused = {
    .head = OPFORGE_HEAD(opforge_operator),
    .name = "scaled_dot_product_attention",
    .forward = forward,
    .backward = backward,
    .flags = OPFORGE_RANDOM | OPFORGE_WANTED,
    .plan = make_plan,
    .unplan = unplan,
};
