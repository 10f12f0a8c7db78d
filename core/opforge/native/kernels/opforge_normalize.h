/* Table of the normalization kernels of one instruction set; [0] is float32, [1] float64. */
#ifndef OPFORGE_NORMALIZE_H
#define OPFORGE_NORMALIZE_H

#include <Python.h>

/* y[i] = (x[i] - mean) * scale + shift. The `lanes` coefficients repeat: element i uses number i % lanes. n is a
 * multiple of `lanes`. */
typedef void (*opforge_scale_fn)(const void* x, void* y, Py_ssize_t n, const double* mean,
                                 const double* scale, const double* shift, ptrdiff_t lanes);
/* dx[i] = scale * (dy[i] - a - (x[i] - mean) * b) */
typedef void (*opforge_scale_grad_fn)(const void* dy, const void* x, void* dx, Py_ssize_t n,
                                      const double* mean, const double* scale, const double* a,
                                      const double* b, ptrdiff_t lanes);
/* Normalize each row of n elements by its mean and standard deviation. gamma and beta may be NULL. `stream`: use
 * non-temporal stores. */
typedef void (*opforge_layer_fn)(const void* x, const void* gamma, const void* beta, void* y,
                                 void* mean, void* std, Py_ssize_t rows, Py_ssize_t n, double eps,
                                 int stream);
/* Compute dx, and add to dgamma and dbeta, n doubles each. */
typedef void (*opforge_layer_grad_fn)(const void* dy, const void* x, const void* gamma,
                                      const void* mean, const void* std, void* dx, double* dgamma,
                                      double* dbeta, Py_ssize_t rows, Py_ssize_t n);

typedef struct {
    opforge_scale_fn scale[2];
    opforge_scale_grad_fn scale_grad[2];
    opforge_layer_fn layer[2];
    opforge_layer_grad_fn layer_grad[2];
} opforge_normalize_table;

#endif
