# The table of kernels, as C declares it; the kernels fill it and the glue calls through it.

cdef extern from "opforge_reduce.h" nogil:
    enum:
        REDUCE_sum, REDUCE_prod, REDUCE_max, REDUCE_min, REDUCE_sumsq, REDUCE_sumabs
        REDUCE_nansum, REDUCE_nanprod, REDUCE_sqdev, REDUCE_dotdev
    ctypedef void (*opforge_reduce_fn)(
        int, const void*, const void*, const double*, Py_ssize_t, Py_ssize_t, Py_ssize_t, void*
    ) noexcept nogil
    ctypedef void (*opforge_arg_fn)(
        int, const void*, Py_ssize_t, Py_ssize_t, Py_ssize_t, long long*
    ) noexcept nogil
    ctypedef struct opforge_reduce_table:
        opforge_reduce_fn* rows
        opforge_reduce_fn* cols
        opforge_arg_fn* arg_rows
        opforge_arg_fn* arg_cols
