# The largest or smallest element of a row; NaN is taken for it. Shared by max, min and where they are.
#
# Each lane compares by a single select, which compilers vectorise; trees of selects they do not. Comparing
# an element twice does no harm, so what is left of a row is covered by a block that reaches back.

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

from opforge.native.kernels.folds cimport LONG, Max, Min
from opforge.native.kernels.half cimport half, half_load

cdef enum:
    GROUP = 16                         # lanes of a stream; rows that are searched side by side
    SHORT = 4 * GROUP                  # a row below this has too few elements for lanes

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


cdef inline void turn(const Element* x, Py_ssize_t stride, Py_ssize_t n, Value* columns) noexcept nogil:
    """Copy GROUP rows of n elements so that those of a column are neighbours."""
    cdef Py_ssize_t i, k
    for k in range(GROUP):
        for i in range(n):
            columns[i * GROUP + k] = value_of(x[k * stride + i], columns)


cdef inline void extremes_across(
    Extreme* tag, const Element* x, Py_ssize_t stride, Py_ssize_t n, Value* top
) noexcept nogil:
    """The extremes of GROUP rows of 0 < n < SHORT elements, side by side."""
    cdef Value[GROUP * SHORT] columns
    cdef Py_ssize_t i
    cdef int k
    turn(x, stride, n, columns)
    for k in range(GROUP):
        top[k] = columns[k]
    for i in range(1, n):
        take(tag, top, columns + i * GROUP, 1, GROUP)


cdef inline void extremes_in_lanes(Extreme* tag, const Element* x, Py_ssize_t n, Value* top) noexcept nogil:
    """The extremes of the GROUP residue classes, in some order, of a row of at least SHORT elements."""
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


cdef inline Value extreme_of(Extreme* tag, const Element* x, Py_ssize_t n, Value* type_tag) noexcept nogil:
    """The extreme of n > 0 elements."""
    cdef Value[GROUP] lanes
    cdef Value top
    cdef int width = GROUP // 2
    cdef Py_ssize_t i
    if n < SHORT:
        top = value_of(x[0], type_tag)
        for i in range(1, n):
            take(tag, &top, x + i, 1, 1)
        return top
    extremes_in_lanes(tag, x, n, lanes)
    while width:
        take(tag, lanes, lanes + width, 1, width)
        width //= 2
    return lanes[0]
