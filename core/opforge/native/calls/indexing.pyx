"""Gathering and scattering slices by index arrays: take, gather_nd, scatter_nd, gradients."""

from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from opforge.native.array.array cimport Array, new_array, wait_read, wait_write
from opforge.native.array.expect cimport expect_axis, expect_code, expect_shape
from opforge.native.array.output cimport req_code, settle, target_of
from opforge.native.calls.indices cimport flat_places, whole_indices
from opforge.native.calls.normalize cimport as_code
from opforge.native.loops.casting cimport run_cast
from opforge.native.loops.gathering cimport Slots, add_slices, gather_slices, room_to_add
from opforge.native.memory.types cimport F16, F32, I64, REQ_NULL, itemsize_of

__all__ = ["gather_nd", "scatter_nd", "take", "take_grad"]


cdef int describe(Slots* s, str function, Array table, Array rows, Array indices, int axis) except -1:
    expect_code(function, "out", rows, table.code)
    expect_shape(
        function, "out", rows, table.shape[:axis] + indices.shape + table.shape[axis + 1:]
    )
    s.outer, s.inner, s.length = 1, 1, table.shape[axis]
    for dim in table.shape[:axis]:
        s.outer *= dim
    for dim in table.shape[axis + 1:]:
        s.inner *= dim
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
        What becomes of an index out of range: the nearest one, its remainder, an IndexRangeError.
    """
    cdef int code = req_code(req), at = expect_axis("take", axis, x.ndim)
    cdef Slots s
    cdef Array target, places
    describe(&s, "take", x, out, indices, at)
    wait_read(x)
    wait_write(out)
    if code == REQ_NULL or out.size == 0:
        return
    places = whole_indices("take", indices, mode, s.length)
    target = target_of(out, code, (x, indices))
    s.at, s.table, s.rows = <const int64_t*>places.data, x.data, target.data
    with nogil:
        gather_slices(&s)
    settle(out, target, code)


def take_grad(
    Array dy not None, Array indices not None, Array out not None, axis=0, str mode="clip", req="write"
):
    """Gradient of `take`: each slice of `dy` is added where it was taken from."""
    cdef int code = req_code(req), at = expect_axis("take_grad", axis, out.ndim)
    cdef Slots s
    cdef Array target, places
    describe(&s, "take_grad", out, dy, indices, at)
    wait_read(dy)
    wait_write(out)
    if code == REQ_NULL or out.size == 0:
        return
    target = target_of(out, code, (dy, indices))
    places = whole_indices("take_grad", indices, mode, s.length)
    s.at, s.table, s.rows = <const int64_t*>places.data, target.data, dy.data
    add_rows(&s, dy, target)
    settle(out, target, code)


cdef int add_rows(Slots* s, Array rows, Array table) except -1:
    """Write sums of rows into all of `table`; those of float16 are made in float32."""
    cdef Array room, wide, wide_rows
    cdef int64_t* numbers = NULL
    if rows.size == 0:
        memset(table.data, 0, table.size * itemsize_of(table.code))
        return 0
    if table.code == F16:
        # Beyond 2048 a sum in float16 does not grow by ones any more.
        wide, wide_rows = new_array(table.shape, F32, table.context), as_code(rows, F32)
        s.code, s.row = F32, s.inner * itemsize_of(F32)
        s.table, s.rows = wide.data, wide_rows.data
        add_rows(s, wide_rows, wide)
        run_cast(F32, F16, wide.data, table.data, table.size)
        return 0
    if room_to_add(s):
        room = new_array((room_to_add(s),), I64, table.context)
        numbers = <int64_t*>room.data
    with nogil:
        add_slices(s, numbers)
    return 0


cdef int describe_nd(Slots* s, str function, Array table, Array rows, Array indices, Array places) except -1:
    cdef Py_ssize_t m = indices.shape[0]
    expect_code(function, "out", rows, table.code)
    expect_shape(function, "out", rows, indices.shape[1:] + table.shape[m:])
    s.outer, s.inner, s.length = 1, 1, 1
    for dim in table.shape[:m]:
        s.length *= dim
    for dim in table.shape[m:]:
        s.inner *= dim
    s.count, s.code, s.row = places.size, table.code, s.inner * itemsize_of(table.code)
    s.at = <const int64_t*>places.data
    return 0


def gather_nd(Array x not None, Array indices not None, Array out not None, req="write"):
    """Gather slices of `x`: column j of `indices`, shape (m, ...), holds m leading indices."""
    cdef int code = req_code(req)
    cdef Slots s
    cdef Array target, places = flat_places("gather_nd", indices, x.shape)
    describe_nd(&s, "gather_nd", x, out, indices, places)
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
    """Write slices of `src` into zeros at the places that `gather_nd` would read.

    Parameters
    ----------
    accumulate : bool
        Add slices that meet in one place, as the gradient of `gather_nd` needs; else the last one stays.
    """
    cdef int code = req_code(req)
    cdef Slots s
    cdef Py_ssize_t i
    cdef Array target, places = flat_places("scatter_nd", indices, out.shape)
    describe_nd(&s, "scatter_nd", out, src, indices, places)
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
                memcpy(s.table + s.at[i] * s.row, s.rows + i * s.row, s.row)
    settle(out, target, code)
