"""Gathering and scattering of slices by index arrays: take, gather_nd, scatter_nd and gradients."""

from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from opforge.native.array.array cimport Array, new_array, wait_read, wait_write
from opforge.native.array.expect cimport expect_axis, expect_code, expect_shape
from opforge.native.array.output cimport req_code, settle, target_of
from opforge.native.calls.extents cimport Extents, split_shape
from opforge.native.calls.indices cimport flat_indices, integer_indices
from opforge.native.calls.normalize cimport cast_to
from opforge.native.loops.casting cimport run_cast
from opforge.native.loops.gathering cimport Slots, add_slices, gather_slices, scatter_scratch_size
from opforge.native.memory.types cimport F32, I64, REQ_NULL, is_half, itemsize_of

__all__ = ["gather_nd", "scatter_nd", "take", "take_grad"]


cdef int describe(Slots* s, str function, Array table, Array rows, Array indices, int axis) except -1:
    cdef Extents e
    expect_code(function, "out", rows, table.code)
    expect_shape(
        function, "out", rows, table.shape[:axis] + indices.shape + table.shape[axis + 1:]
    )
    split_shape(table.shape, axis, &e)
    s.outer, s.length, s.inner = e.outer, e.n, e.inner
    s.count, s.code = indices.size, table.code
    s.row = s.inner * itemsize_of(table.code)
    return 0


def take(
    Array x not None, Array indices not None, Array out not None, axis=0, str mode="clip", req="write"
):
    """Gather slices of `x` along `axis`.

    Parameters
    ----------
    x : Array
    indices : Array of any dtype
    out : Array, dtype of `x`
        Shape of `x` with `axis` replaced by the shape of `indices`.
    mode : {"clip", "wrap", "raise"}
        Handling of indices out of range: clip them, wrap them around, or raise IndexRangeError.
    """
    cdef int code = req_code(req), ax = expect_axis("take", axis, x.ndim)
    cdef Slots s
    cdef Array target, integers
    describe(&s, "take", x, out, indices, ax)
    wait_read(x)
    wait_write(out)
    if code == REQ_NULL or out.size == 0:
        return
    integers = integer_indices("take", indices, mode, s.length)
    target = target_of(out, code, (x, indices))
    s.indices, s.table, s.rows = <const int64_t*>integers.data, x.data, target.data
    with nogil:
        gather_slices(&s)
    settle(out, target, code)


def take_grad(
    Array dy not None, Array indices not None, Array out not None, axis=0, str mode="clip", req="write"
):
    """Compute the gradient of `take`: add each slice of `dy` to the slice it was taken from."""
    cdef int code = req_code(req), ax = expect_axis("take_grad", axis, out.ndim)
    cdef Slots s
    cdef Array target, integers
    describe(&s, "take_grad", out, dy, indices, ax)
    wait_read(dy)
    wait_write(out)
    if code == REQ_NULL or out.size == 0:
        return
    target = target_of(out, code, (dy, indices))
    integers = integer_indices("take_grad", indices, mode, s.length)
    s.indices, s.table, s.rows = <const int64_t*>integers.data, target.data, dy.data
    add_rows(&s, dy, target)
    settle(out, target, code)


cdef int add_rows(Slots* s, Array rows, Array table) except -1:
    """Write the sums of rows to all slices of `table`; 16-bit floats are summed in float32."""
    cdef Array scratch_array, wide, wide_rows
    cdef int64_t* scratch = NULL
    if rows.size == 0:
        memset(table.data, 0, table.size * itemsize_of(table.code))
        return 0
    if is_half(table.code):
        # Above 2048 or 256, adding 1 to a float16 or bfloat16 sum has no effect.
        wide, wide_rows = new_array(table.shape, F32, table.context), cast_to(rows, F32)
        s.code, s.row = F32, s.inner * itemsize_of(F32)
        s.table, s.rows = wide.data, wide_rows.data
        add_rows(s, wide_rows, wide)
        run_cast(F32, table.code, wide.data, table.data, table.size)
        return 0
    if scatter_scratch_size(s):
        scratch_array = new_array((scatter_scratch_size(s),), I64, table.context)
        scratch = <int64_t*>scratch_array.data
    with nogil:
        add_slices(s, scratch)
    return 0


cdef int describe_nd(Slots* s, str function, Array table, Array rows, Array indices, Array flat) except -1:
    cdef Py_ssize_t n_axes = indices.shape[0]
    expect_code(function, "out", rows, table.code)
    expect_shape(function, "out", rows, indices.shape[1:] + table.shape[n_axes:])
    s.outer, s.inner, s.length = 1, 1, 1
    for dim in table.shape[:n_axes]:
        s.length *= dim
    for dim in table.shape[n_axes:]:
        s.inner *= dim
    s.count, s.code, s.row = flat.size, table.code, s.inner * itemsize_of(table.code)
    s.indices = <const int64_t*>flat.data
    return 0


def gather_nd(Array x not None, Array indices not None, Array out not None, req="write"):
    """Gather slices of `x`; column j of `indices`, of shape (m, ...), holds the m leading indices."""
    cdef int code = req_code(req)
    cdef Slots s
    cdef Array target, flat = flat_indices("gather_nd", indices, x.shape)
    describe_nd(&s, "gather_nd", x, out, indices, flat)
    wait_read(x)
    wait_write(out)
    if code == REQ_NULL or out.size == 0:
        return
    target = target_of(out, code, (x, indices))
    s.table, s.rows = x.data, target.data
    with nogil:
        gather_slices(&s)
    settle(out, target, code)


def scatter_nd(
    Array src not None, Array indices not None, Array out not None, req="write", bint accumulate=True
):
    """Write slices of `src` to the slices that `gather_nd` would read, and zeros elsewhere.

    Parameters
    ----------
    accumulate : bool
        Whether to add slices with equal indices, as the gradient of `gather_nd` does; else the last
        one is kept.
    """
    cdef int code = req_code(req)
    cdef Slots s
    cdef Py_ssize_t i
    cdef Array target, flat = flat_indices("scatter_nd", indices, out.shape)
    describe_nd(&s, "scatter_nd", out, src, indices, flat)
    wait_read(src)
    wait_write(out)
    if code == REQ_NULL or out.size == 0:
        return
    target = target_of(out, code, (src, indices))
    s.table, s.rows = target.data, src.data
    if accumulate:
        add_rows(&s, src, target)
    else:
        memset(target.data, 0, target.size * itemsize_of(target.code))
        with nogil:
            for i in range(s.count):
                memcpy(s.table + s.indices[i] * s.row, s.rows + i * s.row, s.row)
    settle(out, target, code)
