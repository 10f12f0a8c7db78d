/* The elementwise kernels of one type, of_unary_SUFFIX, of_binary_SUFFIX and of_scalar_SUFFIX, generated from the rows of
 * opforge_elementwise_ops.h. This is a template: include it once for each type after defining these macros, which
 * are undefined at the end.
 *
 *     OF_T             the type
 *     OF_SUFFIX        its suffix, as in of_exp_f32
 *     OF_HAS_INT32     expands to its arguments if the type has kernels for rows with INT32, else to nothing */

#define OF_PASTE(a, b, c) a##_##b##_##c
#define OF_EXPANDED(a, b, c) OF_PASTE(a, b, c)
#define OF_FUNCTION(name) OF_EXPANDED(of, name, OF_SUFFIX)
#define OF_ROW_FUNCTION(name) OF_EXPANDED(of, name##_row, OF_SUFFIX)

#define OF_HAS_BYTE(...) __VA_ARGS__

#define OF_UNARY_EACH(name) \
    for (ptrdiff_t i = 0; i < n; i++) y[i] = OF_FUNCTION(name)(x[i]);
#define OF_UNARY_ROW(name) OF_ROW_FUNCTION(name)(x, y, n);
#define OF_UNARY_CASE(name, loop, cost, byte, result) \
    OF_HAS_##byte(case UNARY_##name: OF_UNARY_##loop(name) break;)

#define OF_BINARY_EACH(name) \
    for (ptrdiff_t i = 0; i < n; i++) y[i] = OF_FUNCTION(name)(a[i], b[i]);
#define OF_BINARY_ROW(name) OF_ROW_FUNCTION(name)(a, b, y, n);
#define OF_SCALAR_CASE(name, byte)                                                          \
    OF_HAS_##byte(case BINARY_##name:                                                       \
        if (reverse) for (ptrdiff_t i = 0; i < n; i++) y[i] = OF_FUNCTION(name)(other, x[i]); \
        else for (ptrdiff_t i = 0; i < n; i++) y[i] = OF_FUNCTION(name)(x[i], other);       \
        break;)
#define OF_BINARY_CASE(name, loop, cost, byte, result) \
    OF_HAS_##byte(case BINARY_##name: OF_BINARY_##loop(name) break;)

static int OF_FUNCTION(unary)(int op, const void *source, void *target, ptrdiff_t n) {
    const OF_T *x = source;
    OF_T *y = target;
    switch (op) {
        OPFORGE_UNARY_OPS(OF_UNARY_CASE)
        default: return 1;
    }
    return 0;
}

static int OF_FUNCTION(binary)(
    int op, const void *left, const void *right, void *target, ptrdiff_t n) {
    const OF_T *a = left, *b = right;
    OF_T *y = target;
    switch (op) {
        OPFORGE_BINARY_OPS(OF_BINARY_CASE)
        default: return 1;
    }
    return 0;
}

static int OF_FUNCTION(scalar)(
    int op, const void *source, const void *scalar, int reverse, void *target, ptrdiff_t n) {
    const OF_T *x = source, other = *(const OF_T *)scalar;
    OF_T *y = target;
    switch (op) {
        OPFORGE_SCALAR_OPS(OF_SCALAR_CASE)
        default: return 1;
    }
    return 0;
}

#undef OF_T
#undef OF_SUFFIX
#undef OF_HAS_INT32
#undef OF_HAS_BYTE
#undef OF_PASTE
#undef OF_EXPANDED
#undef OF_FUNCTION
#undef OF_ROW_FUNCTION
#undef OF_UNARY_EACH
#undef OF_UNARY_ROW
#undef OF_UNARY_CASE
#undef OF_BINARY_EACH
#undef OF_BINARY_ROW
#undef OF_BINARY_CASE
#undef OF_SCALAR_CASE
