# Reductions over any axes and types, with results that do not depend on the number of threads.

from libc.stdint cimport int64_t

from opforge.native.kernels.reduce cimport (
    REDUCE_WIDE, REDUCE_max, REDUCE_min, REDUCE_nanprod, REDUCE_nansum, REDUCE_prod, REDUCE_sum,
    REDUCE_sumabs, opforge_reduce_fn, opforge_reduce_table,
)

cdef opforge_reduce_table* reduce_kernels

# Final step of a reduction.
cdef enum:
    FINISH_NONE = 0
    FINISH_MEAN = 1                    # divide by the number of elements
    FINISH_SQRT = 2

# Reduces `x`, viewed with `dims`, over the dimensions marked in `reduced`, and stores the results in order in
# `out` with type `out_code`. `other` (same layout as x) and `shift` (one element per result) are for the
# operations that use them, else NULL. `out` must not overlap the inputs.
cdef int run_reduction(
    int op, int code, const void* x, const void* other, const double* shift,
    const Py_ssize_t* dims, const char* reduced, int ndim, int finish, void* out, int out_code,
) except -1 nogil

# Building blocks for callers that compute the elements themselves.

cdef union Cell:                       # an accumulator; `i` for integer types
    double f
    int64_t i

# Fills cells with the neutral element of the operation.
cdef void reset(Cell* cells, Py_ssize_t n, int op, int code) noexcept nogil
# Returns whether a non-finite sum may be due to intermediate overflow of float32; it must then be computed again
# with REDUCE_WIDE.
cdef bint overflowed(const Cell* cells, Py_ssize_t w, int op, int code) noexcept nogil
# Combines the cells of a later part with those of an earlier one.
cdef void join(Cell* into, const Cell* part, Py_ssize_t n, int op, int code) noexcept nogil
# Applies the FINISH_* step to n results of `count` elements each and writes them to `out`; modifies the cells.
cdef void store_cells(
    Cell* cells, Py_ssize_t n, int code, int finish, Py_ssize_t count, void* out, int out_code
) noexcept nogil
