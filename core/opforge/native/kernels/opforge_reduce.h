/* Reductions: operation codes and the tables of one instruction set.
 *
 * Accumulators are double for float types and 64-bit integers, which wrap, for the others. Sums of float32
 * and float16 may overflow on the way where their result would not: if one comes out as no finite number,
 * ask for it again with REDUCE_WIDE. */
#ifndef OPFORGE_REDUCE_H
#define OPFORGE_REDUCE_H

#include <Python.h>

enum opforge_reduction {
    REDUCE_sum,
    REDUCE_prod,
    REDUCE_max,
    REDUCE_min,
    REDUCE_sumsq,   /* sum of squares */
    REDUCE_sumabs,  /* sum of magnitudes */
    REDUCE_nansum,  /* NaN counts as 0 */
    REDUCE_nanprod, /* NaN counts as 1 */
    REDUCE_sqdev,   /* sum of (x - shift)^2; float types only */
    REDUCE_dotdev,  /* sum of other * (x - shift); float types only */
    REDUCE_COUNT,
    REDUCE_WIDE = 16 /* added to sum, sumabs or nansum: float64 throughout */
};

/* Folds into acc[0..w). rows: acc[j] takes x[j * stride + i], i < n.
 *                       cols: acc[j] takes x[i * stride + j], i < n.
 * `other` lies as x does; `shift` has w entries; both are NULL where the operation has none. */
typedef void (*opforge_reduce_fn)(int op, const void* x, const void* other, const double* shift,
                                  Py_ssize_t w, Py_ssize_t stride, Py_ssize_t n, void* acc);
/* Writes where the first largest (or smallest) of n > 0 elements is; NaN comes before all. */
typedef void (*opforge_arg_fn)(int want_min, const void* x, Py_ssize_t w, Py_ssize_t stride,
                               Py_ssize_t n, long long* index);

/* Indexed by element type code. */
typedef struct {
    opforge_reduce_fn rows[8], cols[8];
} opforge_reduce_table;
typedef struct {
    opforge_arg_fn rows[8], cols[8];
} opforge_arg_table;

#endif
