/* Table of the softmax kernels of one instruction set; [0] is float32, [1] float64.
 *
 * rows: `count` rows of n adjacent elements. cols: `count` columns of n elements, `stride` apart.
 * The input is multiplied by `scale` first: 1 / temperature, or negative for softmin. */
#ifndef OPFORGE_ROWWISE_H
#define OPFORGE_ROWWISE_H

#include <Python.h>

enum {
    OPFORGE_COLUMNS = 256, /* maximum number of columns of a call */
    OPFORGE_LOG = 1,       /* flag: log-softmax */
    OPFORGE_STREAM = 2     /* flag: use non-temporal stores; the output must not be an input */
};

typedef void (*opforge_softmax_fn)(const void* x, void* y, Py_ssize_t count, Py_ssize_t n,
                                   Py_ssize_t stride, double scale, int flags);
typedef void (*opforge_softmax_grad_fn)(const void* dy, const void* y, void* dx, Py_ssize_t count,
                                        Py_ssize_t n, Py_ssize_t stride, double scale, int flags);

typedef struct {
    opforge_softmax_fn rows[2], cols[2];
    opforge_softmax_grad_fn grad_rows[2], grad_cols[2];
} opforge_rowwise_table;

#endif
