/* scaled_dot_product_attention: translation of shapes and attributes for the kernels. */
#include <opforge/float16.h>
#include <stdlib.h>

#include "fused.h"
#include "operators.h"

enum { QUERY, KEY, VALUE, FIRST_OPTION };         /* inputs; mask and lengths follow if they are used */
enum { OUTPUT, LOGSUMEXP, RANDOM_KEY };           /* outputs; the last one only with dropout */
enum { MAX_AXES = OPFORGE_MAX_NDIM + 1 };         /* the axes of the query, and one for heads */
enum { BALANCED_UNITS = 16, MIN_CHUNK = 256 };      /* units that balance well on a few threads; keys of a chunk */

static int64_t int_attribute(const opforge_call* call, const char* name, int64_t otherwise) {
    const opforge_attribute* found = opforge_find(call, name);
    return found == NULL || found->kind == OPFORGE_NONE ? otherwise : found->integer;
}

static int mask_at(const opforge_call* call) { return int_attribute(call, "use_mask", 0) ? FIRST_OPTION : -1; }

static int lengths_at(const opforge_call* call) {
    if (!int_attribute(call, "use_length", 0)) return -1;
    return FIRST_OPTION + (int_attribute(call, "use_mask", 0) != 0);
}

/* -- plan ------------------------------------------------------------------------------------------------ */

/* Rows of an array with the heads side by side in each row, or on a separate axis. */
static rows describe(const opforge_tensor* array, int64_t heads, int side_by_side) {
    int64_t length = array->shape[array->ndim - 2], width = array->shape[array->ndim - 1];
    if (side_by_side) return (rows){.batch = length * width, .head = width / heads, .row = width};
    return (rows){.batch = heads * length * width, .head = length * width, .row = width};
}

static void read_shapes(const opforge_call* call, attention* a) {
    const opforge_tensor *query = &call->inputs[QUERY], *key = &call->inputs[KEY], *value = &call->inputs[VALUE];
    int64_t heads = int_attribute(call, "num_heads", 0);
    int side_by_side = heads > 0, leading = query->ndim - 2;
    if (!side_by_side) heads = leading > 0 ? query->shape[leading - 1] : 1;
    a->heads = max64(heads, 1); /* avoid dividing by 0 */
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

/* Store the lengths of the axes that a mask is broadcast to, without queries and keys; return their number. */
static int unit_axes(const opforge_call* call, const attention* a, int64_t lengths[MAX_AXES]) {
    const opforge_tensor* query = &call->inputs[QUERY];
    int count = query->ndim - 2;
    for (int axis = 0; axis < count; axis++) lengths[axis] = query->shape[axis];
    if (int_attribute(call, "num_heads", 0) > 0) lengths[count++] = a->heads;
    return count;
}

/* Set the strides of a mask and the offset of its elements for each unit. */
static int32_t map_mask(opforge_call* call, attention* a, const opforge_tensor* array) {
    int64_t lengths[MAX_AXES], steps[MAX_AXES], step = 1;
    int axes = unit_axes(call, a, lengths), more = axes + 2 - array->ndim;
    lengths[axes] = a->queries, lengths[axes + 1] = a->keys;
    a->mask.kind = array->dtype == OPFORGE_BOOL || array->dtype == OPFORGE_UINT8 ? MASK_BYTES : MASK_ADDED;
    int64_t* units = (int64_t*)malloc((size_t)(a->units + 1) * sizeof *units);
    if (units == NULL) return OPFORGE_NO_MEMORY;
    a->mask.units = units;
    for (int axis = axes + 1; axis >= 0; axis--) {
        int64_t length = axis >= more ? array->shape[axis - more] : 1, here = length != 1 ? step : 0;
        if (length != 1 && length != lengths[axis]) {
            return opforge_fail(call, OPFORGE_BAD_SHAPE, "mask has %lld elements along axis %d; expected 1 or %lld",
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

static void read_options(const opforge_call* call, attention* a) {
    const opforge_attribute *scale = opforge_find(call, "scale"), *dropout = opforge_find(call, "dropout");
    a->causal = int_attribute(call, "causal", 0) != 0;
    a->scale = scale->kind != OPFORGE_NONE ? scale->number : a->depth > 0 ? 1 / sqrt((double)a->depth) : 1;
    a->dropout_threshold = (uint32_t)min64((int64_t)(dropout->number * 4294967296.0), UINT32_MAX);
    a->dropout_scale = dropout->number < 1 ? 1 / (1 - dropout->number) : 0;
}

static int64_t chunk_count(const attention* a) {
    return min64(ceil_div(BALANCED_UNITS, max64(a->units, 1)), max64(a->keys / MIN_CHUNK, 1));
}

static int32_t unplan(opforge_call* call) {
    attention* a = (attention*)call->plan;
    free((void*)a->mask.units);
    free(a);
    return OPFORGE_OK;
}

/* Check the numbers of axes again: inference treats an array without axes as one of unknown shape. */
static int32_t check_axes(opforge_call* call) {
    int32_t axes = call->inputs[QUERY].ndim, lengths = lengths_at(call);
    for (int32_t i = QUERY; i < FIRST_OPTION; i++) {
        if (call->inputs[i].ndim == axes && axes >= 2) continue;
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "query, key and value have %d, %d and %d axes; expected the same number, at least 2",
                            axes, call->inputs[KEY].ndim, call->inputs[VALUE].ndim);
    }
    if (lengths < 0 || call->inputs[lengths].ndim > 0) return OPFORGE_OK;
    return opforge_fail(call, OPFORGE_BAD_SHAPE, "valid_length has no axes; expected 1 or 2");
}

/* Check the lengths again: inference treats a length 0 as unknown. */
static int32_t check_rows(opforge_call* call) {
    const opforge_tensor *query = &call->inputs[QUERY], *key = &call->inputs[KEY], *value = &call->inputs[VALUE];
    int width = query->ndim - 1;
    for (int axis = 0; axis < query->ndim; axis++) {
        int differs = axis != width - 1 && query->shape[axis] != key->shape[axis];
        if (differs || (axis != width && key->shape[axis] != value->shape[axis])) {
            return opforge_fail(call, OPFORGE_BAD_SHAPE, "query, key and value have the lengths %lld, %lld and %lld "
                                "along axis %d, which do not match",
                                (long long)query->shape[axis], (long long)key->shape[axis],
                                (long long)value->shape[axis], axis);
        }
    }
    return OPFORGE_OK;
}

static int32_t check_lengths(opforge_call* call, const attention* a, const opforge_tensor* given) {
    if (given->shape[0] == a->samples && (given->ndim == 1 || given->shape[1] == a->queries)) return OPFORGE_OK;
    return opforge_fail(call, OPFORGE_BAD_SHAPE, "valid_length is for %lld samples; expected %lld of %lld queries",
                        (long long)given->shape[0], (long long)a->samples, (long long)a->queries);
}

static int32_t make_plan(opforge_call* call) {
    int32_t status = check_axes(call);
    if (!status) status = check_rows(call);
    if (status) return status;
    if (call->inputs[KEY].shape[call->inputs[KEY].ndim - 2] > INT32_MAX) {
        return opforge_fail(call, OPFORGE_BAD_SHAPE, "key has more than %d rows. Split them", INT32_MAX);
    }
    attention* a = (attention*)calloc(1, sizeof *a);
    if (a == NULL) return OPFORGE_NO_MEMORY;
    read_shapes(call, a);
    read_options(call, a);
    a->chunks = 1;
    if (call->stage == OPFORGE_BACKWARD) {
        int64_t item = opforge_item_size(opforge_computed_in(call->inputs[QUERY].dtype));
        a->chunks = chunk_count(a);
        call->workspace_bytes = (a->chunks - 1) * a->units * a->queries * a->depth * item;
    }
    call->plan = a;
    if (lengths_at(call) >= 0) status = check_lengths(call, a, &call->inputs[lengths_at(call)]);
    if (!status && mask_at(call) >= 0) status = map_mask(call, a, &call->inputs[mask_at(call)]);
    if (status) unplan(call), call->plan = NULL;
    return status;
}

/* -- calls ----------------------------------------------------------------------------------------------- */

/* Return the plan with the arrays that both passes read. */
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
    if (opforge_is_half(call->inputs[QUERY].dtype)) return opforge_in_float32(call, forward);
    attention a = begin(call);
    if (a.dropout_threshold) {
        // A key of 0 means no dropout.
        a.random_key = call->is_train ? call->host->random_key(call) | 1 : 0;
        memcpy(call->outputs[RANDOM_KEY].data, &a.random_key, sizeof a.random_key);
        if (!call->is_train) a.dropout_threshold = 0;
    }
    if (a.units == 0 || a.queries == 0) return OPFORGE_OK;
    return kernels_of(call)->forward(&a);
}

static void* wanted_grad(const opforge_call* call, int input) {
    return input >= 0 && call->wanted[input] ? call->in_grads[input].data : NULL;
}

static int32_t backward(opforge_call* call) {
    if (opforge_is_half(call->inputs[QUERY].dtype)) return opforge_in_float32(call, backward);
    attention a = begin(call);
    a.out_grad.data = call->out_grads[OUTPUT].data;
    a.query_grad.data = wanted_grad(call, QUERY);
    a.key_grad.data = wanted_grad(call, KEY);
    a.value_grad.data = wanted_grad(call, VALUE);
    a.partial = call->workspace;
    if (a.mask.kind == MASK_ADDED) a.mask_grad = wanted_grad(call, mask_at(call));
    if (a.dropout_threshold) {
        memcpy(&a.random_key, call->outputs[RANDOM_KEY].data, sizeof a.random_key);
        if (a.random_key == 0) a.dropout_threshold = 0;
    }
    // Zero gradients that kernels accumulate into, that no kernel computes, and those of an empty product.
    for (int32_t i = 0; i < call->n_inputs; i++) {
        int starts_at_zero = i >= FIRST_OPTION || a.units * a.queries * a.keys == 0;
        if (starts_at_zero && wanted_grad(call, i) != NULL) memset(call->in_grads[i].data, 0, (size_t)call->in_grads[i].byte_size);
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
