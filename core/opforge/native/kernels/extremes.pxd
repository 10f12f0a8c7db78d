# The largest or smallest element of a row, or NaN if the row contains one. Shared by max, min, argmax and argmin.
#
# Each lane compares with a single select, which compilers vectorize; they do not vectorize trees of selects.
# Comparing an element twice is harmless, so the remainder of a row is covered by a block that overlaps the previous
# one. Short float rows are compared as integers of the same order (opforge_rank.h), which needs no lanes.

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

from opforge.native.kernels.folds cimport LONG, Max, Min
from opforge.native.kernels.half cimport brain, brain_load, half, half_load

cdef extern from "opforge_rank.h" nogil:
    int64_t opforge_rank(...)          # int32_t for a float
    double opforge_of_rank(...)

cdef enum:
    GROUP = 16                         # lanes of a stream
    FEW = 2048                         # shorter rows gain nothing from lanes

ctypedef fused Element:
    float
    double
    half
    brain
    uint8_t
    int8_t
    int32_t
    int64_t

ctypedef fused Value:                  # the type of comparisons: float for 16-bit floats, else the element type
    float
    double
    uint8_t
    int8_t
    int32_t
    int64_t

ctypedef fused Rank:                   # integer types that are compared instead of float and double
    int32_t
    int64_t

ctypedef fused Extreme:
    Max
    Min


cdef inline Value value_of(Element x, Value* type_tag) noexcept nogil:
    if Element is half:
        return <Value>half_load(x)
    elif Element is brain:
        return <Value>brain_load(x)
    else:
        return <Value>x


cdef inline bint is_more_extreme(Extreme* tag, Value a, Value b) noexcept nogil:
    """Return whether `a` is more extreme than `b`; NaN always is."""
    if Extreme is Max:
        return (a > b) | (a != a)
    else:
        return (a < b) | (a != a)


cdef inline void update_lanes(
    Extreme* tag, Value* lanes, const Element* x, Py_ssize_t step, int count
) noexcept nogil:
    """Update `count` lanes, each with one of `count` elements that are `step` apart."""
    cdef int k
    cdef Value v
    for k in range(count):
        v = value_of(x[k * step], lanes)
        lanes[k] = v if is_more_extreme(tag, v, lanes[k]) else lanes[k]


cdef inline void extremes_in_lanes(Extreme* tag, const Element* x, Py_ssize_t n, Value* top) noexcept nogil:
    """Reduce a row of at least FEW elements to GROUP candidates, among which is the extreme."""
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
            update_lanes(tag, lanes + s * GROUP, x + s * stream + i, 1, GROUP)
        i += step
    update_lanes(tag, lanes, x + n - 4 * GROUP, 1, 4 * GROUP)
    update_lanes(tag, lanes, lanes + 2 * GROUP, 1, 2 * GROUP)
    update_lanes(tag, lanes, lanes + GROUP, 1, GROUP)
    for k in range(GROUP):
        top[k] = lanes[k]


cdef inline Value extreme_by_rank(
    Extreme* tag, const Element* x, Py_ssize_t n, Value* type_tag, Rank* rank_tag
) noexcept nogil:
    """Find the extreme of a float row by ranks; a minimum is the maximum of the negated elements."""
    cdef Value v = value_of(x[0], type_tag)
    cdef Rank largest = <Rank>opforge_rank(v if Extreme is Max else -v), rank
    cdef Py_ssize_t i
    for i in range(1, n):
        v = value_of(x[i], type_tag)
        rank = <Rank>opforge_rank(v if Extreme is Max else -v)
        largest = rank if rank > largest else largest
    v = <Value>opforge_of_rank(largest)
    return v if Extreme is Max else -v


cdef inline Value extreme_of_short_row(Extreme* tag, const Element* x, Py_ssize_t n, Value* type_tag) noexcept nogil:
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
            top = v if is_more_extreme(tag, v, top) else top
        return top


cdef inline Value extreme_of(Extreme* tag, const Element* x, Py_ssize_t n, Value* type_tag) noexcept nogil:
    """Return the extreme of n > 0 elements."""
    cdef Value[GROUP] lanes
    cdef int width = GROUP // 2
    if n < FEW:
        return extreme_of_short_row(tag, x, n, type_tag)
    extremes_in_lanes(tag, x, n, lanes)
    while width:
        update_lanes(tag, lanes, lanes + width, 1, width)
        width //= 2
    return lanes[0]
