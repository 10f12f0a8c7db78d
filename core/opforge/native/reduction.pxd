# The reduction engine: any axes, any type, the same result for any number of threads.

from opforge.native.array cimport Array

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

cdef opforge_reduce_table* reduce_kernels

# What happens to a sum in the end.
cdef enum:
    FINISH_NONE = 0
    FINISH_MEAN = 1                    # divided by the number of elements
    FINISH_SQRT = 2

# Folds `x`, seen with `dims`, over the dimensions that `reduced` marks, and stores the results in order at
# `out` with type `out_code`. `other` (laid out as x) and `shift` (one entry a result) belong to the
# operations that want them, else NULL. `out` must not overlap the inputs.
cdef int run_reduction(
    int op, int code, const void* x, const void* other, const double* shift,
    const Py_ssize_t* dims, const char* reduced, int ndim, int finish, void* out, int out_code,
) except -1 nogil
