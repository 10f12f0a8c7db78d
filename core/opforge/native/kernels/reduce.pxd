# C declarations of the kernel tables.

cdef extern from "opforge_reduce.h" nogil:
    enum:
        REDUCE_sum, REDUCE_prod, REDUCE_max, REDUCE_min, REDUCE_sumsq, REDUCE_sumabs
        REDUCE_nansum, REDUCE_nanprod, REDUCE_sqdev, REDUCE_dotdev, REDUCE_WIDE
    ctypedef void (*opforge_reduce_fn)(
        int, const void*, const void*, const double*, Py_ssize_t, Py_ssize_t, Py_ssize_t, void*
    ) noexcept nogil
    ctypedef void (*opforge_arg_fn)(
        int, const void*, Py_ssize_t, Py_ssize_t, Py_ssize_t, long long*
    ) noexcept nogil
    ctypedef struct opforge_reduce_table:
        opforge_reduce_fn* rows
        opforge_reduce_fn* cols
    ctypedef struct opforge_arg_table:
        opforge_arg_fn* rows
        opforge_arg_fn* cols
