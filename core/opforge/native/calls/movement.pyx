"""Data movement over whole arrays: transpose, flip, tile, repeat, broadcast, slice, join.

Each function describes a strided walk and hands it to `native.loops.strided`; every element type goes by
its size. Gradients that sum repeated elements are in `native.calls.reductions`.
"""

from opforge.native.array.array cimport Array, dims_of, new_array, overlaps, wait_read, wait_write
from opforge.native.array.expect cimport expect_axis, expect_code, expect_ndim, expect_shape
from opforge.native.array.output cimport req_code, settle, target_of
from opforge.native.loops.casting cimport run_cast
from opforge.native.loops.strided cimport Walk, strided_copy, walk_push, walk_start
from opforge.native.memory.types cimport F64, I64, MAX_NDIM, REQ_NULL, itemsize_of

from libc.string cimport memset

from opforge.base.errors import ShapeError

__all__ = [
    "broadcast_to", "concat", "flip", "repeat", "slice_array", "slice_assign", "slice_grad", "tile",
    "transpose",
]


cdef void dense_steps(const Py_ssize_t* dims, int ndim, Py_ssize_t* steps) noexcept:
    """Steps in elements of a C-contiguous array."""
    cdef Py_ssize_t step = 1
    cdef int axis
    for axis in range(ndim - 1, -1, -1):
        steps[axis] = step
        step *= dims[axis]


cdef int gather(Array x, Py_ssize_t offset, Walk* walk, Array out, int req) except -1:
    """Fill `out` along `walk`, which starts at element `offset` of `x`."""
    cdef Array target = target_of(out, req, (x,))
    cdef int itemsize = <int>itemsize_of(x.code)
    if out.size:
        with nogil:
            strided_copy(x.data + offset * itemsize, target.data, itemsize, walk)
    return settle(out, target, req)


cdef int begin_call(str function, Array x, Array out, int req) except -1:
    expect_code(function, "out", out, x.code)
    wait_read(x)
    return wait_write(out)


def transpose(Array x not None, Array out not None, tuple axes=None, req="write"):
    """Permute the axes of `x`; ``None`` reverses them.

    Parameters
    ----------
    x, out : Array
        One dtype; ``out.shape[i] == x.shape[axes[i]]``.
    axes : tuple of int, optional
    req : {"write", "inplace", "add", "null"}

    Raises
    ------
    ShapeError
        `axes` is no permutation, or `out` has another shape.
    """
    cdef int code = req_code(req), i, ndim = x.ndim
    cdef Py_ssize_t[MAX_NDIM] dims
    cdef Py_ssize_t[MAX_NDIM] steps
    cdef Py_ssize_t step
    cdef Walk walk
    if axes is None or not axes:
        axes = tuple(range(ndim - 1, -1, -1))
    order = tuple([expect_axis("transpose", axis, ndim) for axis in axes])
    if sorted(order) != list(range(ndim)):
        raise ShapeError(f"transpose: axes {axes} are no permutation of {ndim} axes")
    expect_shape("transpose", "out", out, tuple([x.shape[axis] for axis in order]))
    begin_call("transpose", x, out, code)
    if code == REQ_NULL:
        return
    dims_of(x, dims)
    dense_steps(dims, ndim, steps)
    walk_start(&walk)
    step = out.size
    for axis in order:
        i = axis
        step = step // dims[i] if dims[i] else 0
        walk_push(&walk, dims[i], steps[i], step)
    gather(x, 0, &walk, out, code)


def flip(Array x not None, Array out not None, tuple axes, req="write"):
    """Reverse `x` along `axes`."""
    begin, step = [0] * x.ndim, [1] * x.ndim
    for axis in axes:
        i = expect_axis("flip", axis, x.ndim)
        begin[i], step[i] = max(x.shape[i] - 1, 0), -1
    expect_shape("flip", "out", out, x.shape)
    slice_array(x, out, tuple(begin), tuple(step), req)


def tile(Array x not None, Array out not None, tuple reps, req="write"):
    """Repeat the whole of `x` ``reps[i]`` times along each axis, as NumPy does.

    The shorter of ``x.shape`` and `reps` is padded with ones on its left.
    """
    cdef int code = req_code(req), axis, ndim = max(x.ndim, len(reps))
    cdef Py_ssize_t[MAX_NDIM] dims
    cdef Py_ssize_t[MAX_NDIM] steps
    cdef Py_ssize_t step, rep
    cdef Walk walk
    shape = (1,) * (ndim - x.ndim) + x.shape
    reps = (1,) * (ndim - len(reps)) + reps
    expect_shape("tile", "out", out, tuple([d * max(r, 0) for d, r in zip(shape, reps)]))
    begin_call("tile", x, out, code)
    if code == REQ_NULL or out.size == 0:
        return
    for axis in range(ndim):
        dims[axis] = shape[axis]
    dense_steps(dims, ndim, steps)
    walk_start(&walk)
    step = out.size
    for axis in range(ndim):
        rep = reps[axis]
        step //= rep
        walk_push(&walk, rep, 0, step)
        step //= dims[axis]
        walk_push(&walk, dims[axis], steps[axis], step)
    gather(x, 0, &walk, out, code)


def repeat(Array x not None, Array out not None, Py_ssize_t repeats, axis=None, req="write"):
    """Repeat each element (or each slice along `axis`) `repeats` times in a row."""
    cdef int code = req_code(req), at
    cdef Py_ssize_t outer = 1, inner = 1, n
    cdef Walk walk
    if repeats < 0:
        raise ShapeError(f"repeat: repeats is {repeats}, expected 0 or more")
    if axis is None:
        n = x.size
        expect_shape("repeat", "out", out, (<object>n * repeats,))
    else:
        at = expect_axis("repeat", axis, x.ndim)
        n = x.shape[at]
        expect_shape("repeat", "out", out, x.shape[:at] + (<object>n * repeats,) + x.shape[at + 1:])
        for dim in x.shape[:at]:
            outer *= dim
        for dim in x.shape[at + 1:]:
            inner *= dim
    begin_call("repeat", x, out, code)
    if code == REQ_NULL or out.size == 0:
        return
    walk_start(&walk)
    walk_push(&walk, outer * n, inner, repeats * inner)
    walk_push(&walk, repeats, 0, inner)
    walk_push(&walk, inner, 1, 1)
    gather(x, 0, &walk, out, code)


def broadcast_to(Array x not None, Array out not None, req="write"):
    """Repeat the axes of length 1 of `x` to the shape of `out`, right-aligned as in NumPy."""
    cdef int code = req_code(req), axis, ndim = out.ndim, lead = out.ndim - x.ndim
    cdef Py_ssize_t[MAX_NDIM] dims
    cdef Py_ssize_t[MAX_NDIM] steps
    cdef Py_ssize_t step
    cdef Walk walk
    if lead < 0 or any([d != 1 and d != o for d, o in zip(x.shape, out.shape[lead:])]):
        raise ShapeError(f"broadcast_to: 'x' of shape {x.shape} cannot be broadcast to {out.shape}")
    begin_call("broadcast_to", x, out, code)
    if code == REQ_NULL or out.size == 0:
        return
    shape = (1,) * lead + x.shape
    for axis in range(ndim):
        dims[axis] = shape[axis]
    dense_steps(dims, ndim, steps)
    walk_start(&walk)
    step = out.size
    for axis in range(ndim):
        step //= <Py_ssize_t>out.shape[axis]
        walk_push(&walk, out.shape[axis], 0 if dims[axis] == 1 else steps[axis], step)
    gather(x, 0, &walk, out, code)


def concat(tuple inputs, Array out not None, axis=1, req="write"):
    """Join `inputs` along `axis`.

    Parameters
    ----------
    inputs : tuple of Array
        One dtype; shapes agree but for `axis`.
    out : Array
        Its length along `axis` is the sum of theirs.
    """
    cdef int code = req_code(req), at = expect_axis("concat", axis, out.ndim), itemsize
    cdef Py_ssize_t outer = 1, inner = 1, total, start = 0, n
    cdef Array x, target
    cdef Walk walk
    for i, item in enumerate(inputs):
        if not isinstance(item, Array):
            raise TypeError(f"concat: inputs[{i}] is a {type(item).__name__}, expected an NDArray")
        x = item
        expect_ndim("concat", f"inputs[{i}]", x, out.ndim)
        expect_shape("concat", f"inputs[{i}]", x, out.shape[:at] + (x.shape[at],) + out.shape[at + 1:])
        begin_call("concat", x, out, code)
    total = out.shape[at]
    joined = sum([x.shape[at] for x in inputs])
    if joined != total:
        raise ShapeError(
            f"concat: 'out' has shape {out.shape}, expected length {joined} along axis {at}"
        )
    if code == REQ_NULL or out.size == 0:
        return
    for dim in out.shape[:at]:
        outer *= dim
    for dim in out.shape[at + 1:]:
        inner *= dim
    itemsize = <int>itemsize_of(out.code)
    target = target_of(out, code, inputs)
    for x in inputs:
        n = <Py_ssize_t>x.shape[at] * inner
        walk_start(&walk)
        walk_push(&walk, outer, n, total * inner)
        walk_push(&walk, n, 1, 1)
        if x.size:
            with nogil:
                strided_copy(x.data, target.data + start * itemsize, itemsize, &walk)
        start += n
    settle(out, target, code)


cdef Py_ssize_t slice_walk(
    str function, Array whole, tuple shape, tuple begin, tuple step, bint into, Walk* walk
) except -1:
    """Describe the part of `whole` at `begin`, `step`; return its first element's index."""
    cdef Py_ssize_t[MAX_NDIM] dims
    cdef Py_ssize_t[MAX_NDIM] steps
    cdef Py_ssize_t offset = 0, at, by, n, dense = 1
    cdef int axis, ndim = dims_of(whole, dims)
    cdef Py_ssize_t[MAX_NDIM] part_steps
    if not len(shape) == len(begin) == len(step) == ndim:
        raise ShapeError(
            f"{function}: shape {shape}, begin {begin} and step {step} must have {ndim} entries, "
            f"as the array of shape {whole.shape} has"
        )
    dense_steps(dims, ndim, steps)
    for axis in range(ndim - 1, -1, -1):
        part_steps[axis] = dense
        dense *= <Py_ssize_t>shape[axis]
    walk_start(walk)
    for axis in range(ndim):
        at, by, n = begin[axis], step[axis], shape[axis]
        if by == 0:
            raise ShapeError(f"{function}: step {step} has a 0 at axis {axis}")
        # First what keeps the product below from overflowing.
        if not 0 <= n <= dims[axis] or (n > 1 and not -dims[axis] < by < dims[axis]):
            raise ShapeError(
                f"{function}: {n} elements by {by} leave axis {axis} of shape {whole.shape}"
            )
        if n and not (0 <= at < dims[axis] and 0 <= at + (n - 1) * by < dims[axis]):
            raise ShapeError(
                f"{function}: {n} elements from {at} by {by} leave axis {axis} of shape {whole.shape}"
            )
        if n:
            offset += at * steps[axis]
        if into:
            walk_push(walk, n, part_steps[axis], by * steps[axis])
        else:
            walk_push(walk, n, by * steps[axis], part_steps[axis])
    return offset


def slice_array(Array x not None, Array out not None, tuple begin, tuple step, req="write"):
    """Copy a part of `x`: element i along an axis comes from ``begin + i * step``.

    Parameters
    ----------
    x, out : Array
        One dtype and as many axes; how far the part reaches follows from ``out.shape``.
    begin, step : tuple of int
        One entry an axis, `begin` counted from the front; `step` may be negative, not 0.
    """
    cdef int code = req_code(req)
    cdef Walk walk
    cdef Py_ssize_t offset = slice_walk("slice", x, out.shape, begin, step, False, &walk)
    begin_call("slice", x, out, code)
    if code == REQ_NULL:
        return
    gather(x, offset, &walk, out, code)


cdef Array as_source(object value, Array like, bint* is_scalar):
    """`value` with the element type of `like`, in memory of its own where it overlaps or differs."""
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
    """Write `src` into the part of `dst` at `begin` by `step`.

    Parameters
    ----------
    dst : Array
    src : Array or number
        Cast to the dtype of `dst`; broadcast to `shape`.
    begin, step : tuple of int
        As in `slice_array`.
    shape : tuple of int, optional
        Shape of the part; needed for a number, else ``src.shape``.
    """
    cdef bint is_scalar = False
    cdef Array source, wide
    cdef Walk walk
    cdef Py_ssize_t offset, start
    cdef int itemsize = <int>itemsize_of(dst.code)
    if shape is None:
        if not isinstance(src, Array):
            raise ShapeError("slice_assign: a number needs 'shape', the shape of the part")
        shape = src.shape
    offset = slice_walk("slice_assign", dst, shape, begin, step, True, &walk)
    source = as_source(src, dst, &is_scalar)
    wait_write(dst)
    if is_scalar:
        for axis in range(walk.ndim):
            walk.src[axis] = 0
    elif source.shape != shape:
        wide = new_array(shape, dst.code, dst.context)
        broadcast_to(source, wide)
        source = wide
    start = offset * itemsize
    with nogil:
        strided_copy(source.data, dst.data + start, itemsize, &walk)


def slice_grad(Array dy not None, Array out not None, tuple begin, tuple step, req="write"):
    """Gradient of `slice_array`: `dy` in its place, zeros elsewhere."""
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
