/* Fused attention: what native/ tells kernels/ about a call. */
#ifndef OPFORGE_ATTENTION_FUSED_H
#define OPFORGE_ATTENTION_FUSED_H

#include <math.h>
#include <opforge/abi.h>

/* Rows of one input or output. A unit is one head of one sample: its rows begin at `batch` times the
 * sample plus `head` times the head, in elements. */
typedef struct rows {
    void* data;
    int64_t batch, head, row;
} rows;

typedef enum mask_kind { MASK_NONE, MASK_BYTES, MASK_ADDED } mask_kind;

/* What is known of a mask: a byte for each pair, 0 where the query does not see the key, or numbers that are
 * added to scores. Element (query, key) of a unit is at `units[unit] + query * row + key * column`; steps are
 * 0 along what the mask is repeated. */
typedef struct mask {
    mask_kind kind;
    const void* data;
    const int64_t* units;
    int64_t row, column;
} mask;

/* How many keys queries see: a number for each sample, or for each query of it. */
typedef struct lengths {
    const void* data; /* NULL: all */
    int32_t dtype;
    int32_t for_queries;
} lengths;

/* One call. Arrays that it has no use for have NULL `data`. */
typedef struct attention {
    opforge_call* call;
    int64_t units, heads, samples; /* units = a multiple of heads, and of samples, along the first axis */
    int64_t queries, keys, depth, value_depth;
    rows query, key, value, out;
    mask mask;
    lengths lengths;
    int causal;
    double scale;
    uint32_t dropped; /* of 2^32 weights */
    double kept_scale;
    uint64_t random_key;
    void* logsumexp; /* for each query of each unit; inf where it sees no key */
    rows out_grad, query_grad, key_grad, value_grad;
    void* mask_grad;
    int64_t chunks;  /* that backward divides keys into */
    void* partial;   /* queries' gradients from all chunks but the first */
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

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t quotient_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* The number of keys that a query of a unit sees. */
static inline int64_t keys_seen(const attention* a, int64_t unit, int64_t query) {
    int64_t seen = a->causal ? smaller(query + 1, a->keys) : a->keys;
    if (a->lengths.data == NULL) return seen;
    int64_t at = unit / (a->units / a->samples), length = 0;
    if (a->lengths.for_queries) at = at * a->queries + query;
    if (a->lengths.dtype == OPFORGE_INT32) length = ((const int32_t*)a->lengths.data)[at];
    else length = ((const int64_t*)a->lengths.data)[at];
    return larger(smaller(seen, length), 0);
}

#endif
