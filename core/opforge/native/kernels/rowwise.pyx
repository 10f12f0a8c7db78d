"""Softmax, log-softmax and their gradients along rows or columns, float32 and float64.

All passes over a row (maximum, exponentials and sum, scaling) run while it is in the L1 cache. Columns are read
twice; the first pass computes both maxima and sums. A row that contains +inf, or only -inf, gives NaN, because the
maximum is subtracted.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.float cimport DBL_MAX, FLT_MAX
from libc.math cimport log as log_f64

from opforge.native.kernels.rowlanes cimport (
    Real, add_piece, exp2_of, exp_sum, larger, negated_if, row_dot, row_max, row_sum, sum_of,
)
from opforge.native.kernels.rowwise cimport (
    OPFORGE_COLUMNS, OPFORGE_LOG, OPFORGE_STREAM, opforge_rowwise_table, opforge_softmax_fn,
    opforge_softmax_grad_fn,
)

cdef extern from "opforge_stores.h" nogil:
    void of_stream_ahead(const char* x, char* y, Py_ssize_t nbytes, const char* next)
    void of_stream_fence()

cdef enum:
    GROUP = 16                         # short rows that are computed together
    SHORT = 32                         # shorter rows are not vectorized along the row
    BUFFER = 4096                      # longest row that is buffered for non-temporal stores
    ROWS = 16                          # rows of columns in a piece

cdef double LOG2_E = 1.4426950408889634


cdef inline Real lowest(Real* type_tag) noexcept nogil:
    """Return the smallest finite number: subtracting it from -inf gives -inf and not NaN."""
    return <Real>-FLT_MAX if Real is float else <Real>-DBL_MAX


cdef inline void softmax_row(
    const Real* x, Real* e, Py_ssize_t n, bint negate, Real size, Real c, bint log
) noexcept nogil:
    """Compute one row into `e`, which is the output or a buffer."""
    cdef Real top = row_max(x, n, negate), total
    cdef Py_ssize_t i
    if log:
        total = <Real>log_f64(exp_sum(x, n, negate, top, c))
        for i in range(n):
            e[i] = (negated_if(x[i], negate) - top) * size - total
    else:
        for i in range(n):
            e[i] = exp2_of(negated_if(x[i], negate) - top, c)
        total = 1 / row_sum(e, n)
        for i in range(n):
            e[i] *= total


cdef void softmax_short(
    const Real* x, Real* y, Py_ssize_t count, Py_ssize_t n, Real sign, Real size, Real c, bint log
) noexcept nogil:
    """Compute up to GROUP rows of n < SHORT elements together, via a transposed copy."""
    cdef Real[GROUP * SHORT] columns
    cdef Real[GROUP] top
    cdef Real[GROUP] total
    cdef Py_ssize_t i, j
    cdef int k
    cdef Real term
    for k in range(GROUP):
        top[k] = lowest(top)
        total[k] = 0
    if count < GROUP:
        for i in range(n):
            for k in range(GROUP):
                columns[i * GROUP + k] = 0
    for j in range(count):
        for i in range(n):
            columns[i * GROUP + j] = x[j * n + i]
    for i in range(n):
        for k in range(GROUP):
            columns[i * GROUP + k] *= sign
            top[k] = larger(columns[i * GROUP + k], top[k])
    for i in range(n):
        for k in range(GROUP):
            columns[i * GROUP + k] -= top[k]
            term = exp2_of(columns[i * GROUP + k], c)
            total[k] += term
            columns[i * GROUP + k] = columns[i * GROUP + k] if log else term
    if log:
        for k in range(GROUP):
            total[k] = <Real>log_f64(total[k])
        for i in range(n):
            for k in range(GROUP):
                columns[i * GROUP + k] = columns[i * GROUP + k] * size - total[k]
    else:
        for k in range(GROUP):
            total[k] = 1 / total[k]
        for i in range(n):
            for k in range(GROUP):
                columns[i * GROUP + k] *= total[k]
    for j in range(count):
        for i in range(n):
            y[j * n + i] = columns[i * GROUP + j]


cdef void softmax_rows(
    const Real* x, Real* y, Py_ssize_t count, Py_ssize_t n, Py_ssize_t stride, double scale, int flags
) noexcept nogil:
    cdef Real[BUFFER] buffer
    cdef Py_ssize_t row = 0, _row
    cdef bint log = flags & OPFORGE_LOG, stream = flags & OPFORGE_STREAM and n <= BUFFER
    cdef Real sign = -1 if scale < 0 else 1, size = <Real>(scale * sign), c = <Real>(scale * sign * LOG2_E)
    cdef Real* e = buffer
    if n < SHORT:
        while row < count:
            softmax_short(x + row * n, y + row * n, min(count - row, <Py_ssize_t>GROUP), n, sign, size, c, log)
            row += GROUP
        return
    for _row in range(count):
        if not stream:
            e = y
        if scale < 0:
            softmax_row(x, e, n, True, size, c, log)
        elif log:
            softmax_row(x, e, n, False, size, c, True)
        else:
            softmax_row(x, e, n, False, size, c, False)
        if stream:
            of_stream_ahead(<char*>buffer, <char*>y, n * sizeof(Real), <char*>(x + n))
        x += n
        y += n
    if stream:
        of_stream_fence()


cdef void softmax_cols(
    const Real* x, Real* y, Py_ssize_t count, Py_ssize_t n, Py_ssize_t stride, double scale, int flags
) noexcept nogil:
    # Online softmax: `total` is the sum of exponentials relative to `top`, and is rescaled when larger elements
    # are found.
    cdef Real[OPFORGE_COLUMNS] top
    cdef Real[OPFORGE_COLUMNS] highest
    cdef Real[OPFORGE_COLUMNS] piece
    cdef Real[OPFORGE_COLUMNS] total
    cdef Real[OPFORGE_COLUMNS] error
    cdef Real sign = -1 if scale < 0 else 1, size = <Real>(scale * sign), c = <Real>(scale * sign * LOG2_E)
    # Rescaling rounds. `top` is raised only if that scales by 1 / e or less, so earlier rounding errors vanish.
    cdef Real margin = 1 / larger(size, <Real>1e-30), decay
    cdef Py_ssize_t first = 0, last, i, j
    for j in range(count):
        top[j] = lowest(top)
        total[j] = error[j] = 0
    while first < n:
        last = min(first + ROWS, n)
        for j in range(count):
            highest[j] = top[j]
            piece[j] = 0
        for i in range(first, last):
            for j in range(count):
                highest[j] = larger(x[i * stride + j] * sign, highest[j])
        for j in range(count):
            highest[j] = highest[j] if highest[j] > top[j] + margin else top[j]
            decay = exp2_of(top[j] - highest[j], c)
            top[j] = highest[j]
            total[j] *= decay
            error[j] *= decay
        for i in range(first, last):
            for j in range(count):
                piece[j] += exp2_of(x[i * stride + j] * sign - top[j], c)
        for j in range(count):
            add_piece(total + j, error + j, piece[j])
        first = last
    for j in range(count):
        total[j] = sum_of(total[j], error[j])
    if flags & OPFORGE_LOG:
        for j in range(count):
            total[j] = <Real>log_f64(total[j])
        for i in range(n):
            for j in range(count):
                y[i * stride + j] = (x[i * stride + j] * sign - top[j]) * size - total[j]
        return
    for j in range(count):
        total[j] = 1 / total[j]
    for i in range(n):
        for j in range(count):
            y[i * stride + j] = exp2_of(x[i * stride + j] * sign - top[j], c) * total[j]


cdef inline Real probability(Real y) noexcept nogil:
    """Return exp of a log-probability; values above 71, which are not log-probabilities, are clamped to 71."""
    return exp2_of(<Real>71 if y > 71 else y, <Real>LOG2_E)


cdef void softmax_grad_rows(
    const Real* dy, const Real* y, Real* dx, Py_ssize_t count, Py_ssize_t n, Py_ssize_t stride,
    double scale, int flags
) noexcept nogil:
    cdef Real[BUFFER] buffer
    cdef bint log = flags & OPFORGE_LOG, stream = flags & OPFORGE_STREAM and n <= BUFFER
    cdef Py_ssize_t _row, i
    cdef Real total, s = <Real>scale
    cdef Real* out = buffer
    for _row in range(count):
        if not stream:
            out = dx
        total = row_sum(dy, n) if log else row_dot(dy, y, n)
        if log:
            for i in range(n):
                out[i] = s * (dy[i] - probability(y[i]) * total)
        else:
            for i in range(n):
                out[i] = s * y[i] * (dy[i] - total)
        if stream:
            of_stream_ahead(<char*>buffer, <char*>dx, n * sizeof(Real), <char*>(dy + n))
        dy += n
        y += n
        dx += n
    if stream:
        of_stream_fence()


cdef void softmax_grad_cols(
    const Real* dy, const Real* y, Real* dx, Py_ssize_t count, Py_ssize_t n, Py_ssize_t stride,
    double scale, int flags
) noexcept nogil:
    cdef Real[OPFORGE_COLUMNS] piece
    cdef Real[OPFORGE_COLUMNS] total
    cdef Real[OPFORGE_COLUMNS] error
    cdef Py_ssize_t first = 0, i, j, k
    cdef bint log = flags & OPFORGE_LOG
    cdef Real s = <Real>scale
    for j in range(count):
        total[j] = error[j] = 0
    while first < n:
        for j in range(count):
            piece[j] = 0
        for i in range(first, min(first + ROWS, n)):
            for j in range(count):
                k = i * stride + j
                piece[j] += dy[k] if log else dy[k] * y[k]
        for j in range(count):
            add_piece(total + j, error + j, piece[j])
        first += ROWS
    for j in range(count):
        total[j] = sum_of(total[j], error[j])
    for i in range(n):
        for j in range(count):
            k = i * stride + j
            if log:
                dx[k] = s * (dy[k] - probability(y[k]) * total[j])
            else:
                dx[k] = s * y[k] * (dy[k] - total[j])


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
