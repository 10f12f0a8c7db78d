"""Cross entropy of softmax with class numbers, forward and backward in one pass over the rows each.

A row with NaN or +inf, or of -inf alone, gives NaN, as softmax does.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport log

from opforge.native.kernels.crossentropy cimport (
    opforge_crossentropy_table, opforge_loss_fn, opforge_loss_grad_fn,
)
from opforge.native.kernels.rowlanes cimport Real, exp2_of, exp_sum, row_max

cdef double LOG2_E = 1.4426950408889634


cdef void loss_rows(
    const Real* x, const long long* label, Real* loss, Real* saved, Py_ssize_t rows, Py_ssize_t n,
    double weight
) noexcept nogil:
    cdef Py_ssize_t row
    cdef Real top, total
    for row in range(rows):
        top = row_max(x, n, False)
        total = exp_sum(x, n, False, top, <Real>LOG2_E)
        loss[row] = <Real>(weight * (log(total) - (x[label[row]] - top)))
        saved[2 * row] = top
        saved[2 * row + 1] = 1 / total
        x += n


cdef void loss_grad_rows(
    const Real* dloss, const Real* x, const long long* label, const Real* saved, Real* dx,
    Py_ssize_t rows, Py_ssize_t n, double weight
) noexcept nogil:
    cdef Py_ssize_t row, i
    cdef Real top, share, head, chosen
    for row in range(rows):
        top, head = saved[2 * row], <Real>(dloss[row] * weight)
        share = saved[2 * row + 1] * head
        chosen = exp2_of(x[label[row]] - top, <Real>LOG2_E) * saved[2 * row + 1]
        for i in range(n):
            dx[i] = exp2_of(x[i] - top, <Real>LOG2_E) * share
        dx[label[row]] = (chosen - 1) * head
        x += n
        dx += n


cdef opforge_crossentropy_table table
table.loss[0] = <opforge_loss_fn>loss_rows[float]
table.loss[1] = <opforge_loss_fn>loss_rows[double]
table.grad[0] = <opforge_loss_grad_fn>loss_grad_rows[float]
table.grad[1] = <opforge_loss_grad_fn>loss_grad_rows[double]

TABLE = PyCapsule_New(&table, b"opforge.kernels.crossentropy", NULL)
