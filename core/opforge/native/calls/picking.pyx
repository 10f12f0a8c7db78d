"""Selection of one element along an axis by index (pick), its gradient, and one_hot."""

from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from opforge.native.array.array cimport Array, new_array, wait_read, wait_write
from opforge.native.array.expect cimport expect_axis, expect_code, expect_shape, without_axis
from opforge.native.array.output cimport req_code, settle, target_of
from opforge.native.calls.extents cimport Extents, split_shape
from opforge.native.calls.indices cimport integer_indices
from opforge.native.loops.casting cimport run_cast
from opforge.native.loops.gathering cimport Slots
from opforge.native.memory.types cimport F64, I64, REQ_NULL, itemsize_of

from opforge.base.errors import ShapeError

__all__ = ["one_hot", "pick", "pick_grad"]


cdef int put_value(double value, Array like, char* position) except -1:
    """Store `value` at `position` with the element type of `like`."""
    run_cast(F64, like.code, &value, position, 1)
    return 0


def one_hot(
    Array indices not None, Array out not None, double on_value=1.0, double off_value=0.0, req="write"
):
    """Write `on_value` at each index along a new last axis and `off_value` elsewhere.

    Parameters
    ----------
    indices : Array of any dtype
        An index outside [0, depth) yields a row of `off_value`.
    out : Array, shape of `indices` and a last axis of length depth
    """
    cdef int code = req_code(req)
    cdef Py_ssize_t i, item = itemsize_of(out.code), depth = out.shape[out.ndim - 1] if out.ndim else 0
    cdef Array target, integers
    cdef char[8] on_bytes
    cdef char[8] off_bytes
    cdef const int64_t* at
    expect_shape("one_hot", "out", out, indices.shape + (depth,))
    wait_read(indices)
    wait_write(out)
    if code == REQ_NULL or out.size == 0:
        return
    target = target_of(out, code, (indices,))
    integers = new_array(indices.shape, I64, indices.context)
    put_value(on_value, out, on_bytes)
    put_value(off_value, out, off_bytes)
    with nogil:
        run_cast(indices.code, I64, indices.data, integers.data, indices.size)
        at = <const int64_t*>integers.data
        if off_value == 0:
            memset(target.data, 0, target.size * item)
        else:
            for i in range(target.size):
                memcpy(target.data + i * item, off_bytes, item)
        for i in range(indices.size):
            if 0 <= at[i] < depth:
                memcpy(target.data + (i * depth + at[i]) * item, on_bytes, item)
    settle(out, target, code)


cdef int describe_pick(Slots* s, str function, Array table, Array index, Array out, int axis) except -1:
    """Check that `index` and `out` have the shape of `table` without `axis`, or with length 1 there."""
    cdef Extents e
    kept = without_axis(table.shape, axis)
    keepdims = table.shape[:axis] + (1,) + table.shape[axis + 1:]
    for name, array in (("index", index), ("out", out)):
        shape = (<Array>array).shape
        if shape != kept and shape != keepdims and not (kept == () and shape == (1,)):
            raise ShapeError(f"{function}: {name!r} has shape {shape}, expected {kept} or {keepdims}")
    split_shape(table.shape, axis, &e)
    s.outer, s.length, s.inner = e.outer, e.n, e.inner
    s.row = itemsize_of(table.code)
    return 0


def pick(
    Array x not None, Array index not None, Array out not None, axis=-1, str mode="clip", req="write"
):
    """Select one element of `x` along `axis` for each position of the other axes.

    Parameters
    ----------
    x : Array
    index : Array of any dtype
        Shape of `x` without `axis`, or with length 1 there.
    out : Array, dtype of `x`, shape of `index`
    mode : {"clip", "wrap", "raise"}
    """
    cdef int code = req_code(req), at = expect_axis("pick", axis, x.ndim)
    cdef Slots s
    cdef Py_ssize_t i, position
    cdef Array target, integers
    describe_pick(&s, "pick", x, index, out, at)
    expect_code("pick", "out", out, x.code)
    wait_read(x)
    wait_write(out)
    if code == REQ_NULL or out.size == 0:
        return
    integers = integer_indices("pick", index, mode, s.length, True)
    s.indices = <const int64_t*>integers.data
    target = target_of(out, code, (x, index))
    with nogil:
        for i in range(s.outer * s.inner):
            position = (i // s.inner * s.length + s.indices[i]) * s.inner + i % s.inner
            memcpy(target.data + i * s.row, x.data + position * s.row, s.row)
    settle(out, target, code)


def pick_grad(
    Array dy not None, Array index not None, Array out not None, axis=-1, str mode="clip", req="write"
):
    """Compute the gradient of `pick`: `dy` at the selected elements and zeros elsewhere."""
    cdef int code = req_code(req), at = expect_axis("pick_grad", axis, out.ndim)
    cdef Slots s
    cdef Py_ssize_t i, position
    cdef Array target, integers
    describe_pick(&s, "pick_grad", out, index, dy, at)
    expect_code("pick_grad", "dy", dy, out.code)
    wait_read(dy)
    wait_write(out)
    if code == REQ_NULL or out.size == 0:
        return
    target = target_of(out, code, (dy, index))
    memset(target.data, 0, target.size * s.row)
    integers = integer_indices("pick_grad", index, mode, s.length)
    s.indices = <const int64_t*>integers.data
    with nogil:
        for i in range(s.outer * s.inner):
            position = (i // s.inner * s.length + s.indices[i]) * s.inner + i % s.inner
            memcpy(target.data + position * s.row, dy.data + i * s.row, s.row)
    settle(out, target, code)
