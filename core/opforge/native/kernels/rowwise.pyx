"""Softmax, its logarithm and their gradients along rows or down columns, float32 and float64.

Each row is read while it is in the nearest cache: largest element, exponentials and their sum, scaling.
A row of -inf or with +inf gives NaN, as subtracting the largest element does by itself.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport log as log_f64

cdef extern from "opforge_rowmath.h" nogil:
    float opforge_exp_f32(float)
    double opforge_exp_f64(double)

cdef extern from "opforge_rowwise.h" nogil:
    enum:
        OPFORGE_COLUMNS
    ctypedef void (*opforge_softmax_fn)(
        const void*, void*, Py_ssize_t, Py_ssize_t, Py_ssize_t, double, int) noexcept nogil
    ctypedef void (*opforge_softmax_grad_fn)(
        const void*, const void*, void*, Py_ssize_t, Py_ssize_t, Py_ssize_t, double, int) noexcept nogil
    ctypedef struct opforge_rowwise_table:
        opforge_softmax_fn* rows
        opforge_softmax_fn* cols
        opforge_softmax_grad_fn* grad_rows
        opforge_softmax_grad_fn* grad_cols

cdef enum:
    LANES = 32

ctypedef fused Real:
    float
    double


cdef inline Real exp_of(Real x) noexcept nogil:
    if Real is float:
        return opforge_exp_f32(x)
    else:
        return opforge_exp_f64(x)


cdef inline Real larger(Real a, Real b) noexcept nogil:
    """NaN wins."""
    return b if (b > a) | (b != b) else a


cdef inline Real fold_sum(Real* lanes) noexcept nogil:
    cdef int k, width = LANES // 2
    while width:
        for k in range(width):
            lanes[k] += lanes[k + width]
        width //= 2
    return lanes[0]


cdef inline Real row_max(const Real* x, Py_ssize_t n, Real scale) noexcept nogil:
    cdef Real[LANES] lanes
    cdef Real top = x[0] * scale
    cdef Py_ssize_t i = 0
    cdef int k
    if n >= LANES:
        for k in range(LANES):
            lanes[k] = x[k] * scale
        i = LANES
        while i + LANES <= n:
            for k in range(LANES):
                lanes[k] = larger(lanes[k], x[i + k] * scale)
            i += LANES
        for k in range(LANES):
            top = larger(top, lanes[k])
    while i < n:
        top = larger(top, x[i] * scale)
        i += 1
    return top


cdef inline Real row_exp(const Real* x, Real* y, Py_ssize_t n, Real scale, Real top, bint keep) noexcept nogil:
    """Sum of exp(x * scale - top); the terms go to `y` where it is to keep them."""
    cdef Real[LANES] lanes
    cdef Real e, total = 0
    cdef Py_ssize_t i = 0
    cdef int k
    for k in range(LANES):
        lanes[k] = 0
    if keep:
        while i + LANES <= n:
            for k in range(LANES):
                e = exp_of(x[i + k] * scale - top)
                y[i + k] = e
                lanes[k] += e
            i += LANES
    else:
        while i + LANES <= n:
            for k in range(LANES):
                lanes[k] += exp_of(x[i + k] * scale - top)
            i += LANES
    while i < n:
        e = exp_of(x[i] * scale - top)
        if keep:
            y[i] = e
        total += e
        i += 1
    return total + fold_sum(lanes)


cdef void softmax_rows(
    const Real* x, Real* y, Py_ssize_t count, Py_ssize_t n, Py_ssize_t stride, double scale, int log
) noexcept nogil:
    cdef Py_ssize_t _row, i
    cdef Real top, total, s = <Real>scale
    for _row in range(count):
        top = row_max(x, n, s)
        total = row_exp(x, y, n, s, top, not log)
        if log:
            total = <Real>log_f64(total)
            for i in range(n):
                y[i] = (x[i] * s - top) - total
        else:
            total = 1 / total
            for i in range(n):
                y[i] *= total
        x += n
        y += n


cdef void softmax_cols(
    const Real* x, Real* y, Py_ssize_t count, Py_ssize_t n, Py_ssize_t stride, double scale, int log
) noexcept nogil:
    cdef Real[OPFORGE_COLUMNS] top
    cdef Real[OPFORGE_COLUMNS] total
    cdef Py_ssize_t i, j
    cdef Real e, s = <Real>scale
    for j in range(count):
        top[j] = x[j] * s
        total[j] = 0
    for i in range(1, n):
        for j in range(count):
            top[j] = larger(top[j], x[i * stride + j] * s)
    for i in range(n):
        for j in range(count):
            e = exp_of(x[i * stride + j] * s - top[j])
            total[j] += e
            if not log:
                y[i * stride + j] = e
    if log:
        for j in range(count):
            total[j] = <Real>log_f64(total[j])
        for i in range(n):
            for j in range(count):
                y[i * stride + j] = (x[i * stride + j] * s - top[j]) - total[j]
        return
    for j in range(count):
        total[j] = 1 / total[j]
    for i in range(n):
        for j in range(count):
            y[i * stride + j] *= total[j]


cdef inline Real row_dot(const Real* dy, const Real* y, Py_ssize_t n, bint log) noexcept nogil:
    """Sum of dy * y, or of dy alone for the logarithm."""
    cdef Real[LANES] lanes
    cdef Real total = 0
    cdef Py_ssize_t i = 0
    cdef int k
    for k in range(LANES):
        lanes[k] = 0
    if log:
        while i + LANES <= n:
            for k in range(LANES):
                lanes[k] += dy[i + k]
            i += LANES
    else:
        while i + LANES <= n:
            for k in range(LANES):
                lanes[k] += dy[i + k] * y[i + k]
            i += LANES
    while i < n:
        total += dy[i] if log else dy[i] * y[i]
        i += 1
    return total + fold_sum(lanes)


cdef void softmax_grad_rows(
    const Real* dy, const Real* y, Real* dx, Py_ssize_t count, Py_ssize_t n, Py_ssize_t stride,
    double scale, int log
) noexcept nogil:
    cdef Py_ssize_t _row, i
    cdef Real total, s = <Real>scale
    for _row in range(count):
        total = row_dot(dy, y, n, log)
        if log:
            for i in range(n):
                dx[i] = s * (dy[i] - exp_of(y[i]) * total)
        else:
            for i in range(n):
                dx[i] = s * y[i] * (dy[i] - total)
        dy += n
        y += n
        dx += n


cdef void softmax_grad_cols(
    const Real* dy, const Real* y, Real* dx, Py_ssize_t count, Py_ssize_t n, Py_ssize_t stride,
    double scale, int log
) noexcept nogil:
    cdef Real[OPFORGE_COLUMNS] total
    cdef Py_ssize_t i, j, at
    cdef Real s = <Real>scale
    for j in range(count):
        total[j] = 0
    for i in range(n):
        for j in range(count):
            at = i * stride + j
            total[j] += dy[at] if log else dy[at] * y[at]
    for i in range(n):
        for j in range(count):
            at = i * stride + j
            if log:
                dx[at] = s * (dy[at] - exp_of(y[at]) * total[j])
            else:
                dx[at] = s * y[at] * (dy[at] - total[j])


cdef opforge_rowwise_table table
table.rows[0] = <opforge_softmax_fn>softmax_rows[float]
table.rows[1] = <opforge_softmax_fn>softmax_rows[double]
table.cols[0] = <opforge_softmax_fn>softmax_cols[float]
table.cols[1] = <opforge_softmax_fn>softmax_cols[double]
table.grad_rows[0] = <opforge_softmax_grad_fn>softmax_grad_rows[float]
table.grad_rows[1] = <opforge_softmax_grad_fn>softmax_grad_rows[double]
table.grad_cols[0] = <opforge_softmax_grad_fn>softmax_grad_cols[float]
table.grad_cols[1] = <opforge_softmax_grad_fn>softmax_grad_cols[double]

TABLE = PyCapsule_New(&table, b"opforge.kernels.rowwise", NULL)
