"""Softmax, its logarithm and their gradients along rows or down columns, float32 and float64.

A row is read while it is in the nearest cache: largest element, exponentials and their sum, scaling.
Columns are read twice, the first time for the largest elements and the sums at once. A row of -inf
or with +inf gives NaN, as subtracting the largest element does by itself.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.float cimport DBL_MAX, FLT_MAX
from libc.math cimport log as log_f64

from opforge.native.kernels.rowlanes cimport (
    FEW, LANES, PIECE, Real, add_piece, exp2_of, exp_sum, fold_sum, larger, row_max, row_sum, sum_of,
    turned,
)
from opforge.native.kernels.rowwise cimport (
    OPFORGE_COLUMNS, OPFORGE_LOG, OPFORGE_STREAM, opforge_rowwise_table, opforge_softmax_fn,
    opforge_softmax_grad_fn,
)

cdef extern from "opforge_stores.h" nogil:
    void of_stream_ahead(const char* x, char* y, Py_ssize_t nbytes, const char* next)
    void of_stream_fence()

cdef enum:
    GROUP = 16                         # short rows that are computed side by side
    SHORT = 32                         # a row below this has too few elements for lanes
    BUFFER = 4096                      # longest row that is kept aside before it is streamed
    ROWS = 16                          # rows of columns that are added up at once

cdef double LOG2_E = 1.4426950408889634


cdef inline Real lowest(Real* type_tag) noexcept nogil:
    """Below all but -inf, so that -inf less this is -inf and not NaN."""
    return <Real>-FLT_MAX if Real is float else <Real>-DBL_MAX


cdef inline void softmax_row(
    const Real* x, Real* e, Py_ssize_t n, bint negate, Real size, Real c, bint log
) noexcept nogil:
    """One row into `e`, which is `y` or a buffer."""
    cdef Real top = row_max(x, n, negate), total
    cdef Py_ssize_t i
    if log:
        total = <Real>log_f64(exp_sum(x, n, negate, top, c))
        for i in range(n):
            e[i] = (turned(x[i], negate) - top) * size - total
    else:
        for i in range(n):
            e[i] = exp2_of(turned(x[i], negate) - top, c)
        total = 1 / row_sum(e, n)
        for i in range(n):
            e[i] *= total


cdef void softmax_short(
    const Real* x, Real* y, Py_ssize_t count, Py_ssize_t n, Real sign, Real size, Real c, bint log
) noexcept nogil:
    """Up to GROUP rows of n < SHORT elements, turned so that they can be computed side by side."""
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
    cdef Real[BUFFER] aside
    cdef Py_ssize_t row = 0, _row
    cdef bint log = flags & OPFORGE_LOG, stream = flags & OPFORGE_STREAM and n <= BUFFER
    cdef Real sign = -1 if scale < 0 else 1, size = <Real>(scale * sign), c = <Real>(scale * sign * LOG2_E)
    cdef Real* e = aside
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
            of_stream_ahead(<char*>aside, <char*>y, n * sizeof(Real), <char*>(x + n))
        x += n
        y += n
    if stream:
        of_stream_fence()


cdef void softmax_cols(
    const Real* x, Real* y, Py_ssize_t count, Py_ssize_t n, Py_ssize_t stride, double scale, int flags
) noexcept nogil:
    """A sum is of exponentials less a top, and corrected when elements are far above that."""
    cdef Real[OPFORGE_COLUMNS] top
    cdef Real[OPFORGE_COLUMNS] highest
    cdef Real[OPFORGE_COLUMNS] piece
    cdef Real[OPFORGE_COLUMNS] total
    cdef Real[OPFORGE_COLUMNS] lost
    cdef Real sign = -1 if scale < 0 else 1, size = <Real>(scale * sign), c = <Real>(scale * sign * LOG2_E)
    # Each correction is rounded. By a factor of e or more each, they hide what the earlier ones did.
    cdef Real far = 1 / larger(size, <Real>1e-30), fading
    cdef Py_ssize_t first = 0, last, i, j
    for j in range(count):
        top[j] = lowest(top)
        total[j] = lost[j] = 0
    while first < n:
        last = min(first + ROWS, n)
        for j in range(count):
            highest[j] = top[j]
            piece[j] = 0
        for i in range(first, last):
            for j in range(count):
                highest[j] = larger(x[i * stride + j] * sign, highest[j])
        for j in range(count):
            highest[j] = highest[j] if highest[j] > top[j] + far else top[j]
            fading = exp2_of(top[j] - highest[j], c)
            top[j] = highest[j]
            total[j] *= fading
            lost[j] *= fading
        for i in range(first, last):
            for j in range(count):
                piece[j] += exp2_of(x[i * stride + j] * sign - top[j], c)
        for j in range(count):
            add_piece(total + j, lost + j, piece[j])
        first = last
    for j in range(count):
        total[j] = sum_of(total[j], lost[j])
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


cdef inline Real row_dot(const Real* dy, const Real* y, Py_ssize_t n, bint log) noexcept nogil:
    """Sum of dy * y, or of dy alone for the logarithm."""
    cdef Real total = 0, lost = 0
    cdef Py_ssize_t i = 0
    while i < n:
        add_piece(&total, &lost, piece_dot(dy + i, y + i, min(n - i, <Py_ssize_t>PIECE), log))
        i += PIECE
    return sum_of(total, lost)


cdef inline Real piece_dot(const Real* dy, const Real* y, Py_ssize_t n, bint log) noexcept nogil:
    cdef Real[LANES + FEW] lanes
    cdef Real total = 0
    cdef Py_ssize_t i = 0
    cdef int k
    for k in range(LANES + FEW):
        lanes[k] = 0
    while i + LANES <= n:
        for k in range(LANES):
            lanes[k] += dy[i + k] if log else dy[i + k] * y[i + k]
        i += LANES
    while i + FEW <= n:
        for k in range(FEW):
            lanes[LANES + k] += dy[i + k] if log else dy[i + k] * y[i + k]
        i += FEW
    while i < n:
        total += dy[i] if log else dy[i] * y[i]
        i += 1
    return total + fold_sum(lanes)


cdef inline Real probability(Real y) noexcept nogil:
    """exp of a logarithm of a probability; what is none, above 88, counts as 88."""
    return exp2_of(<Real>88 if y > 88 else y, <Real>LOG2_E)


cdef void softmax_grad_rows(
    const Real* dy, const Real* y, Real* dx, Py_ssize_t count, Py_ssize_t n, Py_ssize_t stride,
    double scale, int flags
) noexcept nogil:
    cdef Real[BUFFER] aside
    cdef bint log = flags & OPFORGE_LOG, stream = flags & OPFORGE_STREAM and n <= BUFFER
    cdef Py_ssize_t _row, i
    cdef Real total, s = <Real>scale
    cdef Real* to = aside
    for _row in range(count):
        if not stream:
            to = dx
        total = row_dot(dy, y, n, log)
        if log:
            for i in range(n):
                to[i] = s * (dy[i] - probability(y[i]) * total)
        else:
            for i in range(n):
                to[i] = s * y[i] * (dy[i] - total)
        if stream:
            of_stream_ahead(<char*>aside, <char*>dx, n * sizeof(Real), <char*>(dy + n))
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
    cdef Real[OPFORGE_COLUMNS] lost
    cdef Py_ssize_t first = 0, i, j, at
    cdef bint log = flags & OPFORGE_LOG
    cdef Real s = <Real>scale
    for j in range(count):
        total[j] = lost[j] = 0
    while first < n:
        for j in range(count):
            piece[j] = 0
        for i in range(first, min(first + ROWS, n)):
            for j in range(count):
                at = i * stride + j
                piece[j] += dy[at] if log else dy[at] * y[at]
        for j in range(count):
            add_piece(total + j, lost + j, piece[j])
        first += ROWS
    for j in range(count):
        total[j] = sum_of(total[j], lost[j])
    for i in range(n):
        for j in range(count):
            at = i * stride + j
            if log:
                dx[at] = s * (dy[at] - probability(y[at]) * total[j])
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
