# The reduction engine: any axes, any type, the same result for any number of threads.

from libc.stdint cimport int64_t

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

# What a reduction is made of, for those that make the elements themselves.

cdef union Cell:                       # one accumulator: i for integers
    double f
    int64_t i

# Fills cells with the operation's neutral element.
cdef void reset(Cell* cells, Py_ssize_t n, int op, int code) noexcept nogil
# Whether float32 may have been too small for a sum on the way to what is no finite number: then it is
# made again with REDUCE_WIDE.
cdef bint overflowed(const Cell* cells, Py_ssize_t w, int op, int code) noexcept nogil
# Folds later cells into earlier ones.
cdef void join(Cell* into, const Cell* part, Py_ssize_t n, int op, int code) noexcept nogil
# Writes n results of `count` elements each to `out`, finished as FINISH_* says; changes the cells.
cdef void deliver(
    Cell* cells, Py_ssize_t n, int code, int finish, Py_ssize_t count, void* out, int out_code
) noexcept nogil
