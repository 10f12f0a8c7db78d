"""Softmax cross-entropy with class labels, forward and backward, each in one pass over the rows.

A row that contains NaN or +inf, or only -inf, gives NaN, as in softmax.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport log

from opforge.native.kernels.crossentropy cimport (
    opforge_crossentropy_table, opforge_loss_fn, opforge_loss_grad_fn,
)
from opforge.native.kernels.rowlanes cimport Real, exp2_of, exp_sum, larger, row_max

cdef enum:
    GROUP = 16                         # rows that are computed together
    SHORT = 32                         # shorter rows are not vectorized along the row

cdef double LOG2_E = 1.4426950408889634


cdef inline void short_sums(
    const Real* x, Py_ssize_t count, Py_ssize_t n, Real* top, Real* total
) noexcept nogil:
    """Compute maxima and sums of exponentials of up to GROUP rows of n < SHORT elements, via a transposed copy."""
    cdef Real[GROUP * SHORT] columns
    cdef Py_ssize_t i, j
    cdef int k
    for j in range(GROUP):
        for i in range(n):
            columns[i * GROUP + j] = x[min(j, count - 1) * n + i]
    for k in range(GROUP):
        top[k] = columns[k]
        total[k] = 0
    for i in range(1, n):
        for k in range(GROUP):
            top[k] = larger(columns[i * GROUP + k], top[k])
    for i in range(n):
        for k in range(GROUP):
            total[k] += exp2_of(columns[i * GROUP + k] - top[k], <Real>LOG2_E)


cdef void loss_rows(
    const Real* x, const long long* label, Real* loss, Real* saved, Py_ssize_t rows, Py_ssize_t n,
    double weight
) noexcept nogil:
    cdef Real[GROUP] top
    cdef Real[GROUP] total
    cdef Py_ssize_t first = 0, count, row, k
    while first < rows:
        count = min(rows - first, <Py_ssize_t>GROUP)
        if n < SHORT:
            short_sums(x + first * n, count, n, top, total)
        else:
            for k in range(count):
                top[k] = row_max(x + (first + k) * n, n, False)
                total[k] = exp_sum(x + (first + k) * n, n, False, top[k], <Real>LOG2_E)
        for k in range(count):
            row = first + k
            loss[row] = <Real>(weight * (log(total[k]) - (x[row * n + label[row]] - top[k])))
            saved[2 * row] = top[k]
            saved[2 * row + 1] = 1 / total[k]
        first += count


cdef void loss_grad_rows(
    const Real* dloss, const Real* x, const long long* label, const Real* saved, Real* dx,
    Py_ssize_t rows, Py_ssize_t n, double weight
) noexcept nogil:
    cdef Py_ssize_t row, i
    cdef Real top, scale, head, chosen
    for row in range(rows):
        top, head = saved[2 * row], <Real>(dloss[row] * weight)
        scale = saved[2 * row + 1] * head
        chosen = exp2_of(x[label[row]] - top, <Real>LOG2_E) * saved[2 * row + 1]
        for i in range(n):
            dx[i] = exp2_of(x[i] - top, <Real>LOG2_E) * scale
        dx[label[row]] = (chosen - 1) * head
        x += n
        dx += n


cdef opforge_crossentropy_table table
table.loss[0] = <opforge_loss_fn>loss_rows[float]
table.loss[1] = <opforge_loss_fn>loss_rows[double]
table.grad[0] = <opforge_loss_grad_fn>loss_grad_rows[float]
table.grad[1] = <opforge_loss_grad_fn>loss_grad_rows[double]

TABLE = PyCapsule_New(&table, b"opforge.kernels.crossentropy", NULL)
