# Reductions for callers in C: what `reductions.reduce` does once names and axes are codes.

from opforge.native.array.array cimport Array

cdef enum:
    ALL_AXES = 0xFFFFFFFF

# Refuses an `out` that has neither the kept shape of `x` nor the one with length 1 in the folded axes.
cdef int expect_folded(str function, Array x, Array out, unsigned int axes) except -1
# Folds `x` over the axes whose bits are set in `axes` (bits from x.ndim on are ignored) and lets `out`
# receive the result by the REQ_* code `req`. `op` is a REDUCE_* of kernels/reduce.pxd and `finish` a
# FINISH_* of loops/reduce.pxd; `reductions.REDUCTIONS` has both by name. `function` is who complains.
cdef int reduce_array(
    str function, int op, int finish, Array x, Array out, unsigned int axes, int req
) except -1
