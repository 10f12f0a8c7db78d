# C declarations of the kernel table.

cdef extern from "opforge_rowwise.h" nogil:
    enum:
        OPFORGE_COLUMNS, OPFORGE_LOG, OPFORGE_STREAM
    ctypedef void (*opforge_softmax_fn)(
        const void*, void*, Py_ssize_t, Py_ssize_t, Py_ssize_t, double, int) noexcept nogil
    ctypedef void (*opforge_softmax_grad_fn)(
        const void*, const void*, void*, Py_ssize_t, Py_ssize_t, Py_ssize_t, double, int) noexcept nogil
    ctypedef struct opforge_rowwise_table:
        opforge_softmax_fn* rows
        opforge_softmax_fn* cols
        opforge_softmax_grad_fn* grad_rows
        opforge_softmax_grad_fn* grad_cols
