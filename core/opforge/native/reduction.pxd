# The reduction engine: any axes, any type, the same result for any number of threads.

from opforge.native.array cimport Array
from opforge.native.kernels.reduce cimport (
    REDUCE_WIDE, REDUCE_max, REDUCE_min, REDUCE_nanprod, REDUCE_nansum, REDUCE_prod, REDUCE_sum,
    REDUCE_sumabs, opforge_reduce_fn, opforge_reduce_table,
)

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
