/* Operation codes and properties of the elementwise kernels, derived from opforge_elementwise_ops.h, and the
 * table that each instruction set fills. */
#ifndef OPFORGE_ELEMENTWISE_H
#define OPFORGE_ELEMENTWISE_H

#include <stddef.h>

#include "opforge_elementwise_ops.h"

#define OPFORGE_UNARY_CODE(name, ...) UNARY_##name,
#define OPFORGE_BINARY_CODE(name, ...) BINARY_##name,

enum opforge_unary { OPFORGE_UNARY_OPS(OPFORGE_UNARY_CODE) UNARY_COUNT };
enum opforge_binary { OPFORGE_BINARY_OPS(OPFORGE_BINARY_CODE) BINARY_COUNT };

enum opforge_cost { COST_CHEAP, COST_VECTOR, COST_WIDE, COST_LIBM };

#define OPFORGE_COST(name, loop, cost, byte, result) COST_##cost,

static const unsigned char opforge_unary_cost[UNARY_COUNT] = { OPFORGE_UNARY_OPS(OPFORGE_COST) };
static const unsigned char opforge_binary_cost[BINARY_COUNT] = { OPFORGE_BINARY_OPS(OPFORGE_COST) };

#define OPFORGE_RESULT_MASK 1
#define OPFORGE_RESULT_VALUE 0
#define OPFORGE_UNARY_RESULT(name, loop, cost, byte, result) \
    case UNARY_##name: return OPFORGE_RESULT_##result;
#define OPFORGE_BINARY_RESULT(name, loop, cost, byte, result) \
    case BINARY_##name: return OPFORGE_RESULT_##result;

/* Return whether every result of an operation is 0 or 1 for all operands. */
static inline int opforge_unary_is_mask(int op) {
    switch (op) { OPFORGE_UNARY_OPS(OPFORGE_UNARY_RESULT) }
    return 0;
}

static inline int opforge_binary_is_mask(int op) {
    switch (op) { OPFORGE_BINARY_OPS(OPFORGE_BINARY_RESULT) }
    return 0;
}

#undef OPFORGE_UNARY_CODE
#undef OPFORGE_BINARY_CODE
#undef OPFORGE_COST
#undef OPFORGE_RESULT_MASK
#undef OPFORGE_RESULT_VALUE
#undef OPFORGE_UNARY_RESULT
#undef OPFORGE_BINARY_RESULT

/* The types that kernels compute in; other types are converted tile by tile. The last two have kernels for some
 * operations only (opforge_narrow_kernels.h). */
enum opforge_compute {
    COMPUTE_F32 = 0,
    COMPUTE_F64 = 1,
    COMPUTE_I32 = 2,
    COMPUTE_I64 = 3,
    COMPUTE_COUNT = 4,
    COMPUTE_U8 = 4,
    COMPUTE_I8 = 5,
    COMPUTE_ALL = 6
};

/* All arrays have n elements; y may be identical to x, a or b, but must not overlap them otherwise.
 * Return nonzero if the operation does not exist. */
typedef int (*opforge_unary_fn)(int op, const void *x, void *y, ptrdiff_t n);
typedef int (*opforge_binary_fn)(int op, const void *a, const void *b, void *y, ptrdiff_t n);
/* The same for one operand that is a scalar: the right one, with `reverse` the left one. */
typedef int (*opforge_scalar_fn)(int op, const void *x, const void *scalar, int reverse, void *y, ptrdiff_t n);
/* y = condition ? a : b; elements are copied as bits. */
typedef void (*opforge_where_fn)(const unsigned char *condition, const void *a, const void *b,
                                 void *y, ptrdiff_t n);

/* y = min(max(x, low), high); NaN stays NaN. `low` and `high` have one element. */
typedef void (*opforge_clip_fn)(const void *x, const void *low, const void *high, void *y, ptrdiff_t n);

/* Copy a tile with non-temporal stores (opforge_stores.h). */
typedef void (*opforge_stream_fn)(const void *tile, void *y, ptrdiff_t nbytes);

typedef struct {
    opforge_unary_fn unary[COMPUTE_COUNT];
    opforge_binary_fn binary[COMPUTE_COUNT];
    opforge_scalar_fn scalar[COMPUTE_COUNT];
    opforge_where_fn where[4]; /* by log2 of the item size */
    opforge_clip_fn clip[9];   /* by element type; NULL for those that are computed in another one */
    opforge_stream_fn stream;
} opforge_elementwise_table;

typedef struct {
    opforge_unary_fn unary[2]; /* uint8, int8 */
    opforge_binary_fn binary[2];
    opforge_scalar_fn scalar[2];
} opforge_narrow_table;

#endif
