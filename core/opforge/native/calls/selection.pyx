"""Elementwise calls that select, clip or set elements: `where`, `clip` and `fill`.

Like the calls in `native.calls.elementwise` they check arguments and take `req`, but record no gradients.
"""

from libc.stdint cimport int64_t
from libc.string cimport memcpy

from opforge.native.array.array cimport (
    Array, dims_of, is_elsewhere, new_array, wait_read, wait_write,
)
from opforge.native.array.copies cimport copy_array
from opforge.native.array.exchange cimport HOST
from opforge.native.array.output cimport req_code, elementwise_target_of, settle
from opforge.native.calls.elementwise cimport (
    aligned_dims, broadcast_shape, check_dtype, check_shape, target_like,
)
from opforge.native.loops.broadcast cimport expand
from opforge.native.loops.casting cimport run_cast
from opforge.native.loops.choice cimport converters, kernel_table, moving_grain
from opforge.native.loops.elementwise cimport run_clip
from opforge.native.loops.stores cimport (
    STREAMED, STREAMED_SPACE, exceeds_cache, fence, first_tile, line_of, stream,
)
from opforge.native.memory.types cimport BOOL, F64, I64, MAX_NDIM, REQ_NULL, itemsize_of
from opforge.native.threads.parallel cimport enter_work, leave_work, parallel_for
from opforge.native.threads.spans cimport (
    CALLS, Site, Span, close_span, open_span, site_of, watched,
)

__all__ = ["clip", "fill", "where"]

cdef Site ONES = site_of("operator", "_ones")
cdef Site FULL = site_of("operator", "_full")

cdef enum:
    STREAMED_WORDS = 64                # STREAMED, 8 bytes each
    TILE = 512                         # elements of a tile of `where`, equal to the bytes of a streamed tile


cdef struct Selection:
    const char* condition
    int code                           # element type of the condition
    const char* a
    const char* b
    char* y
    Py_ssize_t size                    # of an element, in bytes
    int width                          # log2(size)
    bint streams


cdef void where_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Select tile by tile, so that a condition of another type is converted to bools within the L1 cache."""
    cdef Selection* s = <Selection*>arg
    cdef Py_ssize_t condition_size = itemsize_of(s.code), offset, step = TILE, n = TILE
    cdef unsigned char[TILE] bools
    cdef char[STREAMED_SPACE] space
    cdef char* tile = line_of(space)
    cdef const unsigned char* mask
    if s.streams:
        step = STREAMED // s.size
        n = first_tile(s.y + begin * s.size, s.size, step)
    while begin < end:
        n = min(n, end - begin)
        offset = begin * s.size
        mask = <const unsigned char*>s.condition + begin * condition_size
        if s.code != BOOL:
            converters.cast[s.code][BOOL](mask, bools, n)
            mask = bools
        kernel_table.where[s.width](mask, s.a + offset, s.b + offset, tile if s.streams else s.y + offset, n)
        if s.streams:
            stream(tile, s.y + offset, n * s.size)
        begin += n
        n = step
    if s.streams:
        fence()


cdef Array broadcast_copy(Array x, tuple shape):
    """Return `x` broadcast to `shape`: `x` itself or a temporary."""
    cdef Array result
    cdef Py_ssize_t[MAX_NDIM] x_dims, dims
    if x.shape == shape:
        return x
    result = new_array(shape, x.code, x.context)
    aligned_dims(x, result.ndim, x_dims)
    dims_of(result, dims)
    with nogil:
        expand(x.data, x_dims, result.data, dims, result.ndim, itemsize_of(x.code))
    return result


cdef Array as_bools(Array condition, tuple shape):
    """Return `condition`, converted to bools if it must be broadcast, as these take the least memory."""
    cdef Array bools
    if condition.shape == shape:
        return condition
    bools = new_array(condition.shape, BOOL, condition.context)
    run_cast(condition.code, BOOL, condition.data, bools.data, bools.size)
    return bools


def where(
    Array condition not None, Array a not None, Array b not None, Array out not None, req="write"
):
    """Select `a` where `condition` is nonzero (including NaN), else `b`.

    Parameters
    ----------
    condition : Array, any dtype
        Shape of `a`, or ``(a.shape[0],)`` to select entire rows, as in MXNet; else broadcast.
    a, b, out : Array, same dtype
        `a` and `b` broadcast to the shape of `out`.
    req : {"write", "inplace", "add", "null"}
    """
    cdef int request = req_code(req)
    cdef Array mask, target
    cdef Selection job
    check_dtype("where", "b", b, a.code)
    check_dtype("where", "out", out, a.code)
    if request == REQ_NULL:
        return
    for item in (condition, a, b):
        wait_read(<Array>item)
    wait_write(out)
    shape = broadcast_shape("where", a, b)
    if condition.ndim == 1 and len(shape) > 1 and condition.shape[0] == shape[0]:
        condition = condition._view(0, (shape[0],) + (1,) * (len(shape) - 1))
    if condition.shape != shape:
        probe = new_array(shape, BOOL, out.context)
        shape = broadcast_shape("where", condition, probe)
    check_shape("where", out, shape)
    a, b = broadcast_copy(a, shape), broadcast_copy(b, shape)
    mask = broadcast_copy(as_bools(condition, shape), shape)
    target = elementwise_target_of(out, request, (a, b, mask))
    job.condition, job.code = mask.data, mask.code
    job.a = a.data
    job.b = b.data
    job.y = target.data
    job.size = itemsize_of(a.code)
    job.width = {1: 0, 2: 1, 4: 2, 8: 3}[job.size]
    job.streams = exceeds_cache(3 * out.size * job.size) and job.y not in (job.a, job.b, job.condition)
    with nogil:
        parallel_for(out.size, moving_grain(job.size), where_part, &job)
    settle(out, target, request)


def clip(Array x not None, double a_min, double a_max, Array out not None, req="write"):
    """Limit `x` to [a_min, a_max]; NaN stays NaN.

    Parameters
    ----------
    x, out : Array, same shape and dtype
    a_min, a_max : float
        Rounded to the dtype of the arrays; toward zero for integer arrays, as in MXNet. Bounds
        beyond the range of an integer dtype are clamped to it.
    req : {"write", "inplace", "add", "null"}
    """
    cdef int request = req_code(req)
    cdef Array target = target_like("clip", x, out, request)
    if target is None:
        return
    with nogil:
        run_clip(x.code, x.data, a_min, a_max, target.data, x.size)
    settle(out, target, request)


cdef struct Filling:
    char* y
    Py_ssize_t size                    # of an element, in bytes
    int64_t bits                       # the element, repeated to 8 bytes
    bint streams


cdef void fill_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Filling* f = <Filling*>arg
    cdef char* y = f.y + begin * f.size
    cdef char[STREAMED_SPACE] space
    cdef int64_t* tile = <int64_t*>line_of(space)
    cdef Py_ssize_t i, left = (end - begin) * f.size, n = STREAMED
    for i in range(min(<Py_ssize_t>STREAMED_WORDS, (left + 7) // 8)):
        tile[i] = f.bits
    if f.streams:
        n = first_tile(y, 1, STREAMED)
    while left > 0:
        n = min(n, left)
        if f.streams:
            stream(tile, y, n)
        else:
            memcpy(y, tile, n)
        y += n
        left -= n
        n = STREAMED
    if f.streams:
        fence()


cdef int64_t repeat_element(int64_t bits, Py_ssize_t size) noexcept:
    """Return 8 bytes filled with the element in the first `size` bytes of `bits`."""
    cdef Py_ssize_t filled = size
    while filled < 8:
        memcpy(<char*>&bits + filled, &bits, size)
        filled += size
    return bits


def fill(Array out not None, value):
    """Set every element of `out` to `value`, rounded to its dtype."""
    cdef Span span
    if not watched & CALLS:
        fill_all(out, value)
        return
    open_span(&span, ONES if value == 1 else FULL)
    try:
        fill_all(out, value)
    finally:
        close_span(&span)


cdef int fill_all(Array out, object value) except -1:
    cdef double number
    cdef int64_t integer
    cdef Filling job
    cdef Array staged
    if is_elsewhere(out):
        staged = new_array(out.shape, out.code, HOST)
        fill_all(staged, value)
        return copy_array(out, staged)
    wait_write(out)
    job.y = out.data
    job.size = itemsize_of(out.code)
    job.bits = 0
    if out.code == I64 and isinstance(value, int):
        integer = value
        job.bits = integer
    else:
        number = value
        run_cast(F64, out.code, &number, &job.bits, 1)
    job.bits = repeat_element(job.bits, job.size)
    job.streams = exceeds_cache(2 * out.size * job.size)  # a plain store reads its cache line first
    enter_work()
    with nogil:
        parallel_for(out.size, moving_grain(job.size), fill_part, &job)
    leave_work()
    return 0
