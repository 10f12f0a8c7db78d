"""Data movement over whole arrays: transpose, tile, repeat, broadcast, join.

Each function describes a strided walk and hands it to `native.loops.strided`; every element type goes by
its size. Gradients that sum repeated elements are in `native.calls.reductions`.
"""

from opforge.native.array.array cimport Array, dims_of, wait_read, wait_write
from opforge.native.array.expect cimport expect_axis, expect_code, expect_ndim, expect_shape
from opforge.native.array.output cimport req_code, settle, target_of
from opforge.native.loops.strided cimport Walk, strided_copy, walk_push, walk_start
from opforge.native.memory.types cimport MAX_NDIM, REQ_NULL, itemsize_of

from opforge.base.errors import ShapeError

__all__ = ["broadcast_to", "concat", "repeat", "tile", "transpose"]


cdef void dense_steps(const Py_ssize_t* dims, int ndim, Py_ssize_t* steps) noexcept:
    """Steps in elements of a C-contiguous array."""
    cdef Py_ssize_t step = 1
    cdef int axis
    for axis in range(ndim - 1, -1, -1):
        steps[axis] = step
        step *= dims[axis]


cdef int fill_along(Array x, Py_ssize_t offset, Walk* walk, Array out, int req) except -1:
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
    fill_along(x, 0, &walk, out, code)


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
    fill_along(x, 0, &walk, out, code)


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
    fill_along(x, 0, &walk, out, code)


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
    fill_along(x, 0, &walk, out, code)


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
