# C declarations of the kernel table.

cdef extern from "opforge_crossentropy.h" nogil:
    ctypedef void (*opforge_loss_fn)(
        const void*, const long long*, void*, void*, Py_ssize_t, Py_ssize_t, double) noexcept nogil
    ctypedef void (*opforge_loss_grad_fn)(
        const void*, const void*, const long long*, const void*, void*, Py_ssize_t, Py_ssize_t,
        double) noexcept nogil
    ctypedef struct opforge_crossentropy_table:
        opforge_loss_fn* loss
        opforge_loss_grad_fn* grad
