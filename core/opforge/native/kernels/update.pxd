# C declarations of the table of optimizer kernels.

cdef extern from "opforge_update.h" nogil:
    enum:
        OPFORGE_SGD, OPFORGE_SGD_MOMENTUM, OPFORGE_NAG, OPFORGE_ADAM, OPFORGE_RMSPROP
        OPFORGE_RMSPROP_CENTERED, OPFORGE_ADAGRAD, OPFORGE_ADADELTA, OPFORGE_ADAMW, OPFORGE_ADAMAX
        OPFORGE_NADAM, OPFORGE_LAMB_DIRECTION, OPFORGE_FTRL, OPFORGE_FTML, OPFORGE_SIGNSGD
        OPFORGE_SIGNUM, OPFORGE_UPDATE_RULES
    ctypedef struct opforge_update_settings:
        double lr, wd, rescale, clip, a, b, c, d, epsilon, limit
    ctypedef void (*opforge_update_fn)(
        const opforge_update_settings*, const void*, const void*, void*, void*, void*, void*,
        Py_ssize_t) noexcept nogil
    ctypedef struct opforge_update_table:
        opforge_update_fn rule[OPFORGE_UPDATE_RULES][2]
    void opforge_update_fill(opforge_update_table* table)
