# Building blocks of float reductions: operations, trees of elements, and the fold of one row.
#
# Inline and generic, so that each operation gets a separate loop. A row is read in four streams, which processors
# fetch from memory faster than one. Elements are combined in trees of a fixed shape, whose results are added in
# float64.

from opforge.native.kernels.half cimport brain, brain_load, half, half_load

cdef enum:
    LANES = 16                         # accumulators of a row
    BLOCK = 64                         # elements of a stream in an iteration: LANES trees of four
    LONG = 8192                        # rows from this length on are read in four distant streams

ctypedef fused Real:
    float
    double
    half
    brain

# Operations as types, so that each gets a separate loop.
cdef struct Sum:
    char unused
cdef struct Prod:
    char unused
cdef struct Max:
    char unused
cdef struct Min:
    char unused
cdef struct SumSq:
    char unused
cdef struct SumAbs:
    char unused
cdef struct NanSum:
    char unused
cdef struct NanProd:
    char unused
cdef struct SqDev:
    char unused
cdef struct DotDev:
    char unused

ctypedef fused RealOp:
    Sum
    Prod
    SumSq
    SumAbs
    NanSum
    NanProd
    SqDev
    DotDev

ctypedef fused Work:                   # the type in which a tree of elements is computed
    float
    double


cdef inline Work load(Real x, Work* work) noexcept nogil:
    if Real is half:
        return half_load(x)
    elif Real is brain:
        return brain_load(x)
    else:
        return <Work>x


cdef inline Work lift(RealOp* tag, Work x, Work other, Work shift) noexcept nogil:
    """Return the contribution of one element."""
    if RealOp is SumSq:
        return x * x
    elif RealOp is SumAbs:
        return x if x >= 0 else -x
    elif RealOp is NanSum:
        return x if x == x else 0
    elif RealOp is NanProd:
        return x if x == x else 1
    elif RealOp is SqDev:
        return (x - shift) * (x - shift)
    elif RealOp is DotDev:
        return other * (x - shift)
    else:
        return x


cdef inline Work merge(RealOp* tag, Work a, Work b) noexcept nogil:
    if RealOp is Prod or RealOp is NanProd:
        return a * b
    else:
        return a + b


cdef inline double neutral(RealOp* tag) noexcept nogil:
    if RealOp is Prod or RealOp is NanProd:
        return 1
    else:
        return 0


cdef inline Work term(
    RealOp* tag, Work* work, const Real* p, const Real* q, Work shift, Py_ssize_t i
) noexcept nogil:
    if RealOp is DotDev:
        return lift(tag, load(p[i], work), load(q[i], work), shift)
    else:
        return lift(tag, load(p[i], work), <Work>0, shift)


cdef inline Work tree_of_four(
    RealOp* tag, Work* work, const Real* p, const Real* q, Work shift, Py_ssize_t i, Py_ssize_t step
) noexcept nogil:
    """Combine the elements i, i + step, i + 2 step and i + 3 step."""
    return merge(
        tag,
        merge(tag, term(tag, work, p, q, shift, i), term(tag, work, p, q, shift, i + step)),
        merge(
            tag, term(tag, work, p, q, shift, i + 2 * step), term(tag, work, p, q, shift, i + 3 * step)
        ),
    )


cdef inline double fold_row(
    RealOp* tag, Work* work, const Real* p, const Real* q, Work shift, Py_ssize_t n
) noexcept nogil:
    """Fold one row of at least LANES elements."""
    cdef double[LANES] lanes
    cdef Work[LANES] half_tree
    cdef Py_ssize_t i = 0, blocks = n // (4 * BLOCK), stream = BLOCK, step = 4 * BLOCK, _block
    cdef int k, width = LANES // 2
    if n >= LONG:
        stream, step = blocks * BLOCK, BLOCK
    for k in range(LANES):
        lanes[k] = neutral(tag)
    for _block in range(blocks):
        for k in range(LANES):
            half_tree[k] = merge(
                tag, tree_of_four(tag, work, p, q, shift, i + k, LANES),
                tree_of_four(tag, work, p, q, shift, stream + i + k, LANES),
            )
        for k in range(LANES):
            half_tree[k] = merge(tag, half_tree[k], merge(
                tag, tree_of_four(tag, work, p, q, shift, 2 * stream + i + k, LANES),
                tree_of_four(tag, work, p, q, shift, 3 * stream + i + k, LANES),
            ))
        for k in range(LANES):
            lanes[k] = merge(tag, lanes[k], <double>half_tree[k])
        i += step
    i = blocks * 4 * BLOCK
    while i + BLOCK <= n:
        for k in range(LANES):
            lanes[k] = merge(tag, lanes[k], <double>tree_of_four(tag, work, p, q, shift, i + k, LANES))
        i += BLOCK
    while i + LANES <= n:
        for k in range(LANES):
            lanes[k] = merge(tag, lanes[k], <double>term(tag, work, p, q, shift, i + k))
        i += LANES
    while width:
        for k in range(width):
            lanes[k] = merge(tag, lanes[k], lanes[k + width])
        width //= 2
    while i < n:
        lanes[0] = merge(tag, lanes[0], <double>term(tag, work, p, q, shift, i))
        i += 1
    return lanes[0]
