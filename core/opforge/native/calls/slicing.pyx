"""Slices of arrays by begin and step along each axis: reading, assignment, gradients and reversal."""

from libc.string cimport memset

from opforge.native.array.array cimport Array, dims_of, new_array, overlaps, wait_read, wait_write
from opforge.native.array.expect cimport expect_axis, expect_shape
from opforge.native.array.output cimport req_code, settle, target_of
from opforge.native.calls.movement cimport begin_call, dense_steps, fill_along
from opforge.native.loops.casting cimport run_cast
from opforge.native.loops.strided cimport Walk, strided_copy, walk_push, walk_start
from opforge.native.memory.types cimport F64, I64, MAX_NDIM, REQ_NULL, itemsize_of
from opforge.native.threads.parallel cimport enter_work, leave_work

from opforge.base.errors import ShapeError
from opforge.native.calls.movement import broadcast_to

__all__ = ["flip", "slice_array", "slice_assign", "slice_grad"]


cdef Py_ssize_t slice_walk(
    str function, Array array, tuple shape, tuple begin, tuple step, bint to_array, Walk* walk
) except -1:
    """Describe the slice of `array` at `begin` and `step`; return the index of its first element.

    The walk copies into `array` with `to_array`, else from it.
    """
    cdef Py_ssize_t[MAX_NDIM] dims
    cdef Py_ssize_t[MAX_NDIM] steps
    cdef Py_ssize_t offset = 0, start_index, stride, n, dense = 1
    cdef int axis, ndim = dims_of(array, dims)
    cdef Py_ssize_t[MAX_NDIM] part_steps
    if not len(shape) == len(begin) == len(step) == ndim:
        raise ShapeError(
            f"{function}: shape {shape}, begin {begin} and step {step} must have {ndim} entries each, "
            f"one per axis of the array of shape {array.shape}"
        )
    dense_steps(dims, ndim, steps)
    for axis in range(ndim - 1, -1, -1):
        part_steps[axis] = dense
        dense *= <Py_ssize_t>shape[axis]
    walk_start(walk)
    for axis in range(ndim):
        start_index, stride, n = begin[axis], step[axis], shape[axis]
        if stride == 0:
            raise ShapeError(f"{function}: step {step} has a 0 at axis {axis}")
        # This check keeps the product below from overflowing.
        if not 0 <= n <= dims[axis] or (n > 1 and not -dims[axis] < stride < dims[axis]):
            raise ShapeError(
                f"{function}: {n} elements with step {stride} exceed axis {axis} of shape {array.shape}"
            )
        if n and not (0 <= start_index < dims[axis] and 0 <= start_index + (n - 1) * stride < dims[axis]):
            raise ShapeError(
                f"{function}: {n} elements from {start_index} with step {stride} exceed axis {axis} of "
                f"shape {array.shape}"
            )
        if n:
            offset += start_index * steps[axis]
        if to_array:
            walk_push(walk, n, part_steps[axis], stride * steps[axis])
        else:
            walk_push(walk, n, stride * steps[axis], part_steps[axis])
    return offset


def slice_array(Array x not None, Array out not None, tuple begin, tuple step, req="write"):
    """Copy a slice of `x`: element i along an axis comes from ``begin + i * step``.

    Parameters
    ----------
    x, out : Array
        Arrays of the same dtype and number of axes; ``out.shape`` is the shape of the slice.
    begin, step : tuple of int
        One entry per axis; `begin` is not negative, `step` may be negative but not 0.
    """
    cdef int code = req_code(req)
    cdef Walk walk
    cdef Py_ssize_t offset = slice_walk("slice", x, out.shape, begin, step, False, &walk)
    begin_call("slice", x, out, code)
    if code == REQ_NULL:
        return
    fill_along(x, offset, &walk, out, code)


def flip(Array x not None, Array out not None, tuple axes, req="write"):
    """Reverse `x` along `axes`."""
    begin, step = [0] * x.ndim, [1] * x.ndim
    for axis in axes:
        i = expect_axis("flip", axis, x.ndim)
        begin[i], step[i] = max(x.shape[i] - 1, 0), -1
    expect_shape("flip", "out", out, x.shape)
    slice_array(x, out, tuple(begin), tuple(step), req)


cdef Array as_source(object value, Array like, bint* is_scalar):
    """Return `value` as an array of the dtype of `like` that does not overlap it; a copy if needed."""
    cdef Array source, result
    cdef double number
    cdef long long integer
    is_scalar[0] = not isinstance(value, Array)
    if is_scalar[0]:
        result = new_array((1,), like.code, like.context)
        if isinstance(value, int):
            integer = value
            run_cast(I64, like.code, &integer, result.data, 1)
        else:
            number = value
            run_cast(F64, like.code, &number, result.data, 1)
        return result
    source = value
    wait_read(source)
    if source.code == like.code and not overlaps(source, like):
        return source
    result = new_array(source.shape, like.code, like.context)
    with nogil:
        run_cast(source.code, like.code, source.data, result.data, source.size)
    return result


def slice_assign(Array dst not None, src, tuple begin, tuple step, tuple shape=None):
    """Assign `src` to the slice of `dst` at `begin` with `step`.

    Parameters
    ----------
    dst : Array
    src : Array or number
        Cast to the dtype of `dst`; broadcast to `shape`.
    begin, step : tuple of int
        As in `slice_array`.
    shape : tuple of int, optional
        Shape of the slice; required for a number, else ``src.shape`` by default.
    """
    cdef bint is_scalar = False
    cdef Array source, broadcasted
    cdef Walk walk
    cdef Py_ssize_t offset, start
    cdef int itemsize = <int>itemsize_of(dst.code)
    if shape is None:
        if not isinstance(src, Array):
            raise ShapeError("slice_assign: 'src' is a number; pass 'shape', the shape of the slice")
        shape = src.shape
    offset = slice_walk("slice_assign", dst, shape, begin, step, True, &walk)
    source = as_source(src, dst, &is_scalar)
    if is_scalar:
        for axis in range(walk.ndim):
            walk.src[axis] = 0
    elif source.shape != shape:
        broadcasted = new_array(shape, dst.code, dst.context)
        broadcast_to(source, broadcasted)
        source = broadcasted
    start = offset * itemsize
    wait_write(dst)
    enter_work()
    with nogil:
        strided_copy(source.data, dst.data + start, itemsize, &walk)
    leave_work()


def slice_grad(Array dy not None, Array out not None, tuple begin, tuple step, req="write"):
    """Compute the gradient of `slice_array`: `dy` in the slice and zeros elsewhere."""
    cdef int code = req_code(req)
    cdef Walk walk
    cdef Py_ssize_t offset = slice_walk("slice_grad", out, dy.shape, begin, step, True, &walk)
    cdef int itemsize = <int>itemsize_of(out.code)
    cdef Array target
    begin_call("slice_grad", dy, out, code)
    if code == REQ_NULL:
        return
    target = target_of(out, code, (dy,))
    with nogil:
        memset(target.data, 0, target.size * itemsize)
        strided_copy(dy.data, target.data + offset * itemsize, itemsize, &walk)
    settle(out, target, code)
