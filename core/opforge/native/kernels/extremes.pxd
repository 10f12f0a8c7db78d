# The largest or smallest element of a row; NaN is taken for it. Shared by max, min and where they are.
#
# Each lane compares by a single select, which compilers vectorise; trees of selects they do not. Comparing
# an element twice does no harm, so what is left of a row is covered by a block that reaches back. Shorter
# rows are folded as integers of the same order, whose largest needs no lanes.

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

from opforge.native.kernels.folds cimport LONG, Max, Min
from opforge.native.kernels.half cimport half, half_load

cdef extern from "opforge_rank.h" nogil:
    int64_t opforge_rank(...)          # int32_t of a float
    double opforge_of_rank(...)

cdef enum:
    GROUP = 16                         # lanes of a stream
    FEW = 2048                         # a row below this gains nothing from lanes

ctypedef fused Element:
    float
    double
    half
    uint8_t
    int8_t
    int32_t
    int64_t

ctypedef fused Value:                  # what elements are compared as: float for half, else themselves
    float
    double
    uint8_t
    int8_t
    int32_t
    int64_t

ctypedef fused Rank:                   # integers that are compared instead of float and double
    int32_t
    int64_t

ctypedef fused Extreme:
    Max
    Min


cdef inline Value value_of(Element x, Value* type_tag) noexcept nogil:
    if Element is half:
        return <Value>half_load(x)
    else:
        return <Value>x


cdef inline bint prevails(Extreme* tag, Value a, Value b) noexcept nogil:
    """Whether the extreme of both is `a`; NaN is."""
    if Extreme is Max:
        return (a > b) | (a != a)
    else:
        return (a < b) | (a != a)


cdef inline void take(
    Extreme* tag, Value* lanes, const Element* x, Py_ssize_t step, int count
) noexcept nogil:
    """Let each lane meet one of `count` elements that lie `step` apart."""
    cdef int k
    cdef Value v
    for k in range(count):
        v = value_of(x[k * step], lanes)
        lanes[k] = v if prevails(tag, v, lanes[k]) else lanes[k]


cdef inline void extremes_in_lanes(Extreme* tag, const Element* x, Py_ssize_t n, Value* top) noexcept nogil:
    """The extremes of the GROUP residue classes, in some order, of a row of at least FEW elements."""
    cdef Value[4 * GROUP] lanes
    cdef Py_ssize_t blocks = n // (4 * GROUP), stream = GROUP, step = 4 * GROUP, i, _block
    cdef int k, s
    if n >= LONG:
        stream, step = blocks * GROUP, GROUP
    i = step
    for s in range(4):
        for k in range(GROUP):
            lanes[s * GROUP + k] = value_of(x[s * stream + k], lanes)
    for _block in range(1, blocks):
        for s in range(4):
            take(tag, lanes + s * GROUP, x + s * stream + i, 1, GROUP)
        i += step
    take(tag, lanes, x + n - 4 * GROUP, 1, 4 * GROUP)
    take(tag, lanes, lanes + 2 * GROUP, 1, 2 * GROUP)
    take(tag, lanes, lanes + GROUP, 1, GROUP)
    for k in range(GROUP):
        top[k] = lanes[k]


cdef inline Value extreme_by_rank(
    Extreme* tag, const Element* x, Py_ssize_t n, Value* type_tag, Rank* rank_tag
) noexcept nogil:
    """The smallest is the largest of the negated ones."""
    cdef Value v = value_of(x[0], type_tag)
    cdef Rank most = <Rank>opforge_rank(v if Extreme is Max else -v), rank
    cdef Py_ssize_t i
    for i in range(1, n):
        v = value_of(x[i], type_tag)
        rank = <Rank>opforge_rank(v if Extreme is Max else -v)
        most = rank if rank > most else most
    v = <Value>opforge_of_rank(most)
    return v if Extreme is Max else -v


cdef inline Value extreme_of_few(Extreme* tag, const Element* x, Py_ssize_t n, Value* type_tag) noexcept nogil:
    cdef Value top, v
    cdef Py_ssize_t i
    if Value is float:
        return extreme_by_rank(tag, x, n, type_tag, <int32_t*>NULL)
    elif Value is double:
        return extreme_by_rank(tag, x, n, type_tag, <int64_t*>NULL)
    else:
        top = value_of(x[0], type_tag)
        for i in range(1, n):
            v = value_of(x[i], type_tag)
            top = v if prevails(tag, v, top) else top
        return top


cdef inline Value extreme_of(Extreme* tag, const Element* x, Py_ssize_t n, Value* type_tag) noexcept nogil:
    """The extreme of n > 0 elements."""
    cdef Value[GROUP] lanes
    cdef int width = GROUP // 2
    if n < FEW:
        return extreme_of_few(tag, x, n, type_tag)
    extremes_in_lanes(tag, x, n, lanes)
    while width:
        take(tag, lanes, lanes + width, 1, width)
        width //= 2
    return lanes[0]
