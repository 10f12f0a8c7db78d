/* Fused attention: the description of a call that native/ passes to kernels/. */
#ifndef OPFORGE_ATTENTION_FUSED_H
#define OPFORGE_ATTENTION_FUSED_H

#include <math.h>
#include <opforge/abi.h>

/* Strides of the rows of an input or output. A unit is one head of one sample; its rows begin at `batch` times
 * the sample plus `head` times the head, in elements. */
typedef struct rows {
    void* data;
    int64_t batch, head, row;
} rows;

typedef enum mask_kind { MASK_NONE, MASK_BYTES, MASK_ADDED } mask_kind;

/* A mask: a byte for each pair, 0 if the key is hidden from the query, or numbers that are added to scores.
 * Element (query, key) of a unit is at `units[unit] + query * row + key * column`; strides are 0 along axes
 * that the mask is broadcast over. */
typedef struct mask {
    mask_kind kind;
    const void* data;
    const int64_t* units;
    int64_t row, column;
} mask;

/* The number of visible keys, for each sample or for each query of each sample. */
typedef struct lengths {
    const void* data; /* NULL: all keys are visible */
    opforge_dtype dtype;
    int32_t for_queries;
} lengths;

/* One call. Arrays that it does not use have NULL `data`. */
typedef struct attention {
    opforge_call* call;
    int64_t units, heads, samples; /* `units` is a multiple of both; samples are along the first axis */
    int64_t queries, keys, depth, value_depth;
    rows query, key, value, out;
    mask mask;
    lengths lengths;
    int causal;
    double scale;
    uint32_t dropout_threshold; /* weights whose 32-bit hash is below are dropped */
    double dropout_scale;
    uint64_t random_key;
    void* logsumexp; /* for each query of each unit; inf if no key is visible */
    rows out_grad, query_grad, key_grad, value_grad;
    void* mask_grad;
    int64_t chunks;  /* number of chunks that backward splits the keys into */
    void* partial;   /* gradients of queries from all chunks but the first */
} attention;

/* The kernels of one element type. */
typedef struct attention_kernels {
    int32_t (*forward)(const attention* a);
    int32_t (*backward)(const attention* a);
} attention_kernels;

extern const attention_kernels attention_float32, attention_float64;

static inline char* rows_of(const rows* r, const attention* a, int64_t unit, int64_t item) {
    return (char*)r->data + (unit / a->heads * r->batch + unit % a->heads * r->head) * item;
}

static inline int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* The number of keys that are visible to a query of a unit. */
static inline int64_t visible_keys(const attention* a, int64_t unit, int64_t query) {
    int64_t visible = a->causal ? min64(query + 1, a->keys) : a->keys;
    if (a->lengths.data == NULL) return visible;
    int64_t at = unit / (a->units / a->samples), length = 0;
    if (a->lengths.for_queries) at = at * a->queries + query;
    if (a->lengths.dtype == OPFORGE_INT32) length = ((const int32_t*)a->lengths.data)[at];
    else length = ((const int64_t*)a->lengths.data)[at];
    return max64(min64(visible, length), 0);
}

#endif
