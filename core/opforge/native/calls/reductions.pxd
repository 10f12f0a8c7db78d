# Reductions for callers in C: `reductions.reduce` with names and axes given as codes.

from opforge.native.array.array cimport Array

cdef enum:
    ALL_AXES = 0xFFFFFFFF

# Checks that `out` has the shape of `x` without the reduced axes, or with length 1 there.
cdef int expect_reduced(str function, Array x, Array out, unsigned int axes) except -1
# Reduces `x` over the axes whose bits are set in `axes` (bits from x.ndim on are ignored) and writes the
# result to `out` according to the REQ_* code `req`. `op` is a REDUCE_* code of kernels/reduce.pxd and
# `finish` a FINISH_* code of loops/reduce.pxd; `reductions.REDUCTIONS` maps names to both. `function` is
# the name in errors.
cdef int reduce_array(
    str function, int op, int finish, Array x, Array out, unsigned int axes, int req
) except -1
