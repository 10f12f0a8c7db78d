/* Operation codes and tables of the reduction kernels of one instruction set.
 *
 * Accumulators are double for float types and wrapping 64-bit integers for the others. Intermediate sums of float32
 * and 16-bit floats may overflow even if the result would not: if a result is not finite, repeat the reduction with
 * REDUCE_WIDE. */
#ifndef OPFORGE_REDUCE_H
#define OPFORGE_REDUCE_H

#include <Python.h>

enum opforge_reduction {
    REDUCE_sum,
    REDUCE_prod,
    REDUCE_max,
    REDUCE_min,
    REDUCE_sumsq,   /* sum of squares */
    REDUCE_sumabs,  /* sum of absolute values */
    REDUCE_nansum,  /* NaN counts as 0 */
    REDUCE_nanprod, /* NaN counts as 1 */
    REDUCE_sqdev,   /* sum of (x - shift)^2; float types only */
    REDUCE_dotdev,  /* sum of other * (x - shift); float types only */
    REDUCE_COUNT,
    REDUCE_WIDE = 16 /* added to sum, sumabs or nansum: float64 throughout */
};

/* Fold into acc[0..w). rows: x[j * stride + i] for i < n into acc[j].
 *                      cols: x[i * stride + j] for i < n into acc[j].
 * `other` has the layout of x; `shift` has w entries; both are NULL if the operation does not use them. */
typedef void (*opforge_reduce_fn)(int op, const void* x, const void* other, const double* shift,
                                  Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, void* acc);
/* Write the index of the first largest (or smallest) of n > 0 elements; NaN precedes all numbers. */
typedef void (*opforge_arg_fn)(int want_min, const void* x, Py_ssize_t w, Py_ssize_t stride,
                               Py_ssize_t n, long long* index);

/* Indexed by element type codes. */
typedef struct {
    opforge_reduce_fn rows[9], cols[9];
} opforge_reduce_table;
typedef struct {
    opforge_arg_fn rows[9], cols[9];
} opforge_arg_table;

#endif
