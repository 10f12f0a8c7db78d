# C declarations of the kernel table.

cdef extern from "opforge_normalize.h" nogil:
    ctypedef void (*opforge_scale_fn)(
        const void*, void*, Py_ssize_t, const double*, const double*, const double*,
        Py_ssize_t) noexcept nogil
    ctypedef void (*opforge_scale_grad_fn)(
        const void*, const void*, void*, Py_ssize_t, const double*, const double*, const double*,
        const double*, Py_ssize_t) noexcept nogil
    ctypedef void (*opforge_layer_fn)(
        const void*, const void*, const void*, void*, void*, void*, Py_ssize_t, Py_ssize_t,
        double, int) noexcept nogil
    ctypedef void (*opforge_layer_grad_fn)(
        const void*, const void*, const void*, const void*, const void*, void*, double*, double*,
        Py_ssize_t, Py_ssize_t) noexcept nogil
    ctypedef struct opforge_normalize_table:
        opforge_scale_fn* scale
        opforge_scale_grad_fn* scale_grad
        opforge_layer_fn* layer
        opforge_layer_grad_fn* layer_grad
