"""Normalization of rows by their moments, and of channels by given moments.

Moments are computed in two passes. The second pass uses the mean rounded to the element type and then corrects the
rounding, so that a large mean loses no accuracy. Squares of float32 are summed as in `folds`.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport sqrt

from opforge.native.kernels.folds cimport LANES as FOLD_LANES, DotDev, SqDev, Sum, fold_row
from opforge.native.kernels.normalize cimport (
    opforge_layer_fn, opforge_layer_grad_fn, opforge_normalize_table, opforge_scale_fn,
    opforge_scale_grad_fn,
)
from opforge.native.kernels.rowlanes cimport Real

cdef extern from "opforge_stores.h" nogil:
    void of_stream_ahead(const char* x, char* y, Py_ssize_t nbytes, const char* next)
    void of_stream_fence()

cdef enum:
    ROWS = 4                           # rows that are summed before they are added to parameter gradients
    PERIOD = 64                        # elements over which the coefficients of lanes are repeated
    BUFFER = 4096                      # longest row that is buffered for non-temporal stores

cdef double TINY = 1e-30               # a float32 mean square below this is inaccurate


cdef inline void repeat_into(const double* source, Real* target, Py_ssize_t lanes) noexcept nogil:
    """Fill PERIOD elements by repeating the coefficients."""
    cdef Py_ssize_t i
    for i in range(PERIOD):
        target[i] = <Real>source[i % lanes]


cdef void scale(
    const Real* x, Real* y, Py_ssize_t n, const double* mean, const double* factor,
    const double* shift, Py_ssize_t lanes
) noexcept nogil:
    cdef Real[PERIOD] ms, fs, ss
    cdef Py_ssize_t i, k = 0
    cdef Real m = <Real>mean[0], a = <Real>factor[0], b = <Real>shift[0]
    if lanes == 1:
        for i in range(n):
            y[i] = (x[i] - m) * a + b
        return
    if PERIOD % lanes or n < PERIOD:
        while k < n:
            for i in range(lanes):
                y[k + i] = (x[k + i] - <Real>mean[i]) * <Real>factor[i] + <Real>shift[i]
            k += lanes
        return
    repeat_into(mean, ms, lanes)
    repeat_into(factor, fs, lanes)
    repeat_into(shift, ss, lanes)
    while k + PERIOD <= n:
        for i in range(PERIOD):
            y[k + i] = (x[k + i] - ms[i]) * fs[i] + ss[i]
        k += PERIOD
    for i in range(n - k):
        y[k + i] = (x[k + i] - ms[i]) * fs[i] + ss[i]


cdef void scale_grad(
    const Real* dy, const Real* x, Real* dx, Py_ssize_t n, const double* mean, const double* factor,
    const double* a, const double* b, Py_ssize_t lanes
) noexcept nogil:
    cdef Real[PERIOD] ms, fs, heads, dots
    cdef Py_ssize_t i, k = 0
    cdef Real m = <Real>mean[0], f = <Real>factor[0], a0 = <Real>a[0], b0 = <Real>b[0]
    if lanes == 1:
        for i in range(n):
            dx[i] = f * (dy[i] - a0 - (x[i] - m) * b0)
        return
    if PERIOD % lanes or n < PERIOD:
        while k < n:
            for i in range(lanes):
                dx[k + i] = <Real>factor[i] * (
                    dy[k + i] - <Real>a[i] - (x[k + i] - <Real>mean[i]) * <Real>b[i])
            k += lanes
        return
    repeat_into(mean, ms, lanes)
    repeat_into(factor, fs, lanes)
    repeat_into(a, heads, lanes)
    repeat_into(b, dots, lanes)
    while k + PERIOD <= n:
        for i in range(PERIOD):
            dx[k + i] = fs[i] * (dy[k + i] - heads[i] - (x[k + i] - ms[i]) * dots[i])
        k += PERIOD
    for i in range(n - k):
        dx[k + i] = fs[i] * (dy[k + i] - heads[i] - (x[k + i] - ms[i]) * dots[i])


cdef inline double mean_of(const Real* x, Py_ssize_t n) noexcept nogil:
    """Return the mean in float64, which is more accurate than float32 elements."""
    cdef double total = 0
    cdef Py_ssize_t i
    if n >= FOLD_LANES:
        return fold_row(<Sum*>NULL, <double*>NULL, x, x, 0, n) / n
    for i in range(n):
        total += x[i]
    return total / n


cdef inline double variance_of(const Real* x, Py_ssize_t n, double mean) noexcept nogil:
    cdef Real center = <Real>mean
    cdef double total = 0
    cdef Py_ssize_t i
    if n >= FOLD_LANES:
        total = fold_row(<SqDev*>NULL, <Real*>NULL, x, x, center, n)
        if Real is float and not (TINY * n <= total < 1e300):
            return fold_row(<SqDev*>NULL, <double*>NULL, x, x, mean, n) / n
        total = total / n - (mean - center) * (mean - center)
        return total if not total < 0 else 0
    for i in range(n):
        total += (x[i] - mean) * (x[i] - mean)
    return total / n


cdef inline void layer_row(
    const Real* x, const Real* gamma, const Real* beta, Real* y, Py_ssize_t n, Real center, Real factor,
    Real offset
) noexcept nogil:
    """y = ((x - center) * factor + offset) * gamma + beta."""
    cdef Py_ssize_t i
    if gamma != NULL and beta != NULL:
        for i in range(n):
            y[i] = ((x[i] - center) * factor + offset) * gamma[i] + beta[i]
    elif gamma != NULL:
        for i in range(n):
            y[i] = ((x[i] - center) * factor + offset) * gamma[i]
    elif beta != NULL:
        for i in range(n):
            y[i] = (x[i] - center) * factor + offset + beta[i]
    else:
        for i in range(n):
            y[i] = (x[i] - center) * factor + offset


cdef void layer(
    const Real* x, const Real* gamma, const Real* beta, Real* y, Real* mean, Real* std,
    Py_ssize_t rows, Py_ssize_t n, double eps, int stream
) noexcept nogil:
    cdef Real[BUFFER] buffer
    cdef Py_ssize_t row
    cdef double m, s
    cdef Real center
    cdef Real* out = buffer
    stream = stream and n <= BUFFER
    for row in range(rows):
        m = mean_of(x, n)
        s = sqrt(variance_of(x, n, m) + eps)
        mean[row] = center = <Real>m
        std[row] = <Real>s
        if not stream:
            out = y
        layer_row(x, gamma, beta, out, n, center, <Real>(1 / s), <Real>((center - m) / s))
        if stream:
            of_stream_ahead(<char*>buffer, <char*>y, n * sizeof(Real), <char*>(x + n))
        x += n
        y += n
    if stream:
        of_stream_fence()


cdef inline void parameter_grads(
    const Real* dy, const Real* x, const Real* mean, const Real* inverse, double* dgamma, double* dbeta,
    Py_ssize_t rows, Py_ssize_t n
) noexcept nogil:
    """Add the contributions of up to ROWS rows."""
    cdef Py_ssize_t row, i
    cdef const Real* x1 = x + n
    cdef const Real* x2 = x + 2 * n
    cdef const Real* x3 = x + 3 * n
    cdef const Real* d1 = dy + n
    cdef const Real* d2 = dy + 2 * n
    cdef const Real* d3 = dy + 3 * n
    cdef Real m0, m1, m2, m3, r0, r1, r2, r3
    if rows < ROWS:
        for row in range(rows):
            m0, r0 = mean[row], inverse[row]
            for i in range(n):
                dgamma[i] += dy[row * n + i] * ((x[row * n + i] - m0) * r0)
                dbeta[i] += dy[row * n + i]
        return
    m0, m1, m2, m3 = mean[0], mean[1], mean[2], mean[3]
    r0, r1, r2, r3 = inverse[0], inverse[1], inverse[2], inverse[3]
    for i in range(n):
        dgamma[i] += (dy[i] * ((x[i] - m0) * r0) + d1[i] * ((x1[i] - m1) * r1)) + (
            d2[i] * ((x2[i] - m2) * r2) + d3[i] * ((x3[i] - m3) * r3))
    for i in range(n):
        dbeta[i] += (dy[i] + d1[i]) + (d2[i] + d3[i])


cdef inline void head_sums(
    const Real* g, const Real* x, Py_ssize_t n, Real m, double* sum_g, double* sum_gx
) noexcept nogil:
    """Compute the sums of g and of g * (x - m)."""
    cdef Py_ssize_t i
    if n >= FOLD_LANES:
        sum_g[0] = fold_row(<Sum*>NULL, <Real*>NULL, g, g, 0, n)
        sum_gx[0] = fold_row(<DotDev*>NULL, <Real*>NULL, x, g, m, n)
        return
    sum_g[0] = sum_gx[0] = 0
    for i in range(n):
        sum_g[0] += g[i]
        sum_gx[0] += g[i] * (x[i] - m)


cdef void layer_grad(
    const Real* dy, const Real* x, const Real* gamma, const Real* mean, const Real* std, Real* dx,
    double* dgamma, double* dbeta, Py_ssize_t rows, Py_ssize_t n
) noexcept nogil:
    """dx = (g - mean(g) - xhat * mean(g * xhat)) / std with g = dy * gamma, which is first stored in dx."""
    cdef Real[ROWS] inverse
    cdef Py_ssize_t first = 0, count, row, i
    cdef double sum_g, sum_gx
    cdef Real m, r, a, b
    while first < rows:
        count = min(rows - first, <Py_ssize_t>ROWS)
        for row in range(count):
            inverse[row] = 1 / std[first + row]
        parameter_grads(dy, x, mean + first, inverse, dgamma, dbeta, count, n)
        for row in range(count):
            m, r = mean[first + row], inverse[row]
            if gamma != NULL:
                for i in range(n):
                    dx[i] = dy[i] * gamma[i]
            else:
                for i in range(n):
                    dx[i] = dy[i]
            head_sums(dx, x, n, m, &sum_g, &sum_gx)
            a, b = <Real>(sum_g / n), <Real>(sum_gx * r * r / n)
            for i in range(n):
                dx[i] = r * (dx[i] - a - (x[i] - m) * b)
            dy += n
            x += n
            dx += n
        first += count


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
