"""Normalisation of rows by their own moments, and of channels by given ones.

Moments are taken in two passes and in double, in explicit lanes, so that a large mean costs no digits.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport sqrt

cdef enum:
    LANES = 16

ctypedef fused Real:
    float
    double


cdef void scale(
    const Real* x, Real* y, Py_ssize_t n, const double* mean, const double* factor,
    const double* shift, int each
) noexcept nogil:
    cdef Py_ssize_t i
    cdef Real m = <Real>mean[0], a = <Real>factor[0], b = <Real>shift[0]
    if each:
        for i in range(n):
            y[i] = (x[i] - <Real>mean[i]) * <Real>factor[i] + <Real>shift[i]
    else:
        for i in range(n):
            y[i] = (x[i] - m) * a + b


cdef void scale_grad(
    const Real* dy, const Real* x, Real* dx, Py_ssize_t n, const double* mean, const double* factor,
    const double* a, const double* b, int each
) noexcept nogil:
    cdef Py_ssize_t i
    cdef Real m = <Real>mean[0], f = <Real>factor[0], a0 = <Real>a[0], b0 = <Real>b[0]
    if each:
        for i in range(n):
            dx[i] = <Real>factor[i] * (dy[i] - <Real>a[i] - (x[i] - <Real>mean[i]) * <Real>b[i])
    else:
        for i in range(n):
            dx[i] = f * (dy[i] - a0 - (x[i] - m) * b0)


cdef inline double fold(double* lanes) noexcept nogil:
    cdef int k, width = LANES // 2
    while width:
        for k in range(width):
            lanes[k] += lanes[k + width]
        width //= 2
    return lanes[0]


cdef inline double mean_of(const Real* x, Py_ssize_t n) noexcept nogil:
    cdef double[LANES] lanes
    cdef double total = 0
    cdef Py_ssize_t i = 0
    cdef int k
    for k in range(LANES):
        lanes[k] = 0
    while i + LANES <= n:
        for k in range(LANES):
            lanes[k] += x[i + k]
        i += LANES
    while i < n:
        total += x[i]
        i += 1
    return (total + fold(lanes)) / n


cdef inline double variance_of(const Real* x, Py_ssize_t n, double mean) noexcept nogil:
    cdef double[LANES] lanes
    cdef double total = 0
    cdef Py_ssize_t i = 0
    cdef int k
    for k in range(LANES):
        lanes[k] = 0
    while i + LANES <= n:
        for k in range(LANES):
            lanes[k] += (x[i + k] - mean) * (x[i + k] - mean)
        i += LANES
    while i < n:
        total += (x[i] - mean) * (x[i] - mean)
        i += 1
    return (total + fold(lanes)) / n


cdef void layer(
    const Real* x, const Real* gamma, const Real* beta, Real* y, Real* mean, Real* std,
    Py_ssize_t rows, Py_ssize_t n, double eps
) noexcept nogil:
    cdef Py_ssize_t row, i
    cdef double m, s
    cdef Real centre, factor
    for row in range(rows):
        m = mean_of(x, n)
        s = sqrt(variance_of(x, n, m) + eps)
        mean[row] = <Real>m
        std[row] = <Real>s
        centre, factor = <Real>m, <Real>(1 / s)
        for i in range(n):
            y[i] = (x[i] - centre) * factor
        if gamma != NULL:
            for i in range(n):
                y[i] *= gamma[i]
        if beta != NULL:
            for i in range(n):
                y[i] += beta[i]
        x += n
        y += n


cdef void layer_grad(
    const Real* dy, const Real* x, const Real* gamma, const Real* mean, const Real* std, Real* dx,
    double* dgamma, double* dbeta, Py_ssize_t rows, Py_ssize_t n
) noexcept nogil:
    """dx = (g - mean(g) - xhat * mean(g * xhat)) / std with g = dy * gamma."""
    cdef Py_ssize_t row, i
    cdef double m, r, g, hat, sum_g, sum_gx
    for row in range(rows):
        m, r = mean[row], 1 / <double>std[row]
        sum_g = sum_gx = 0
        for i in range(n):
            hat = (x[i] - m) * r
            dgamma[i] += dy[i] * hat
            dbeta[i] += dy[i]
            g = dy[i] * <double>gamma[i] if gamma != NULL else dy[i]
            sum_g += g
            sum_gx += g * hat
        sum_g /= n
        sum_gx /= n
        for i in range(n):
            hat = (x[i] - m) * r
            g = dy[i] * <double>gamma[i] if gamma != NULL else dy[i]
            dx[i] = <Real>(r * (g - sum_g - hat * sum_gx))
        dy += n
        x += n
        dx += n


cdef opforge_normalize_table table
table.scale[0] = <opforge_scale_fn>scale[float]
table.scale[1] = <opforge_scale_fn>scale[double]
table.scale_grad[0] = <opforge_scale_grad_fn>scale_grad[float]
table.scale_grad[1] = <opforge_scale_grad_fn>scale_grad[double]
table.layer[0] = <opforge_layer_fn>layer[float]
table.layer[1] = <opforge_layer_fn>layer[double]
table.layer_grad[0] = <opforge_layer_grad_fn>layer_grad[float]
table.layer_grad[1] = <opforge_layer_grad_fn>layer_grad[double]

TABLE = PyCapsule_New(&table, b"opforge.kernels.normalize", NULL)
