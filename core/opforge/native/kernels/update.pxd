# C declarations of the table of optimizer kernels.

cdef extern from "opforge_update.h" nogil:
    enum:
        OPFORGE_SGD, OPFORGE_SGD_MOMENTUM, OPFORGE_NAG, OPFORGE_ADAM, OPFORGE_RMSPROP
        OPFORGE_RMSPROP_CENTERED, OPFORGE_ADAGRAD, OPFORGE_ADADELTA
    ctypedef struct opforge_update_settings:
        double lr, wd, rescale, clip, a, b, epsilon, limit
    ctypedef void (*opforge_update_fn)(
        const opforge_update_settings*, const void*, const void*, void*, void*, void*, void*,
        Py_ssize_t) noexcept nogil
    ctypedef struct opforge_update_table:
        opforge_update_fn rule[8][2]
    void opforge_update_fill(opforge_update_table* table)
