"""Data movement over entire arrays: transpose, tile, repeat, broadcast, concat.

Each function describes a strided walk and passes it to `native.loops.strided`, which copies elements of
any type by size. Gradients that sum repeated elements are in `native.calls.reductions`.
"""

from opforge.native.array.array cimport Array, dims_of, wait_read, wait_write
from opforge.native.array.expect cimport expect_axis, expect_code, expect_ndim, expect_shape
from opforge.native.array.output cimport req_code, settle, target_of
from opforge.native.calls.elementwise cimport aligned_dims
from opforge.native.calls.extents cimport Extents, split_shape
from opforge.native.loops.strided cimport Walk, strided_copy, walk_push, walk_start
from opforge.native.memory.types cimport MAX_NDIM, REQ_NULL, itemsize_of

from opforge.base.errors import ShapeError

__all__ = ["broadcast_to", "concat", "repeat", "tile", "transpose"]


cdef void dense_steps(const Py_ssize_t* dims, int ndim, Py_ssize_t* steps) noexcept:
    """Fill `steps` with the strides, in elements, of a C-contiguous array."""
    cdef Py_ssize_t step = 1
    cdef int axis
    for axis in range(ndim - 1, -1, -1):
        steps[axis] = step
        step *= dims[axis]


cdef int fill_along(Array x, Py_ssize_t offset, Walk* walk, Array out, int req) except -1:
    """Fill `out` from `x` along `walk`, which starts at element `offset` of `x`."""
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
        `axes` is not a permutation, or `out` has the wrong shape.
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
        raise ShapeError(f"transpose: axes {axes} are not a permutation of the {ndim} axes")
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
    """Repeat `x` as a whole ``reps[i]`` times along axis i, as NumPy does.

    The shorter of ``x.shape`` and `reps` is padded with ones on the left.
    """
    cdef int code = req_code(req), axis, ndim = max(x.ndim, len(reps))
    cdef Py_ssize_t[MAX_NDIM] times
    shape = (1,) * (ndim - x.ndim) + x.shape
    reps = (1,) * (ndim - len(reps)) + reps
    expect_shape("tile", "out", out, tuple([d * max(r, 0) for d, r in zip(shape, reps)]))
    for axis in range(ndim):
        times[axis] = reps[axis]
    tile_whole("tile", x, out, times, code)


cdef int tile_whole(str function, Array x, Array out, const Py_ssize_t* reps, int code) except -1:
    """Fill `out`, of the right shape, with `x` repeated ``reps[i]`` times along axis i of `out`."""
    cdef int axis, ndim = out.ndim
    cdef Py_ssize_t[MAX_NDIM] dims
    cdef Py_ssize_t[MAX_NDIM] steps
    cdef Py_ssize_t step, rep
    cdef Walk walk
    begin_call(function, x, out, code)
    if code == REQ_NULL or out.size == 0:
        return 0
    aligned_dims(x, ndim, dims)
    dense_steps(dims, ndim, steps)
    walk_start(&walk)
    step = out.size
    for axis in range(ndim):
        rep = reps[axis]
        step //= rep
        walk_push(&walk, rep, 0, step)
        step //= dims[axis]
        walk_push(&walk, dims[axis], steps[axis], step)
    return fill_along(x, 0, &walk, out, code)


def repeat(Array x not None, Array out not None, Py_ssize_t repeats, axis=None, req="write"):
    """Repeat each element (or each slice along `axis`) `repeats` times in a row."""
    cdef int code = req_code(req), ax
    cdef Extents e
    cdef Walk walk
    if repeats < 0:
        raise ShapeError(f"repeat: repeats is {repeats}, expected 0 or more")
    if axis is None:
        e = Extents(1, x.size, 1)
        expect_shape("repeat", "out", out, (<object>x.size * repeats,))
    else:
        ax = expect_axis("repeat", axis, x.ndim)
        split_shape(x.shape, ax, &e)
        expect_shape("repeat", "out", out, x.shape[:ax] + (<object>e.n * repeats,) + x.shape[ax + 1:])
    begin_call("repeat", x, out, code)
    if code == REQ_NULL or out.size == 0:
        return
    walk_start(&walk)
    walk_push(&walk, e.outer * e.n, e.inner, repeats * e.inner)
    walk_push(&walk, repeats, 0, e.inner)
    walk_push(&walk, e.inner, 1, 1)
    fill_along(x, 0, &walk, out, code)


def broadcast_to(Array x not None, Array out not None, req="write"):
    """Broadcast `x` to the shape of `out`, as NumPy does."""
    cdef int code = req_code(req), axis, lead = out.ndim - x.ndim
    cdef Py_ssize_t[MAX_NDIM] dims
    cdef Py_ssize_t[MAX_NDIM] reps
    if lead < 0 or any([d != 1 and d != o for d, o in zip(x.shape, out.shape[lead:])]):
        raise ShapeError(f"broadcast_to: 'x' of shape {x.shape} cannot be broadcast to {out.shape}")
    aligned_dims(x, out.ndim, dims)
    for axis in range(out.ndim):
        reps[axis] = out.shape[axis] if dims[axis] == 1 else 1
    tile_whole("broadcast_to", x, out, reps, code)


def concat(tuple inputs, Array out not None, axis=1, req="write"):
    """Join `inputs` along `axis`.

    Parameters
    ----------
    inputs : tuple of Array
        Arrays of one dtype whose shapes differ along `axis` only.
    out : Array
        Its length along `axis` is the sum of the inputs' lengths.
    """
    cdef int code = req_code(req), ax = expect_axis("concat", axis, out.ndim), itemsize
    cdef Py_ssize_t start = 0, n
    cdef Extents e
    cdef Array x, target
    cdef Walk walk
    for i, item in enumerate(inputs):
        if not isinstance(item, Array):
            raise TypeError(f"concat: inputs[{i}] is a {type(item).__name__}, expected an NDArray")
        x = item
        expect_ndim("concat", f"inputs[{i}]", x, out.ndim)
        expect_shape("concat", f"inputs[{i}]", x, out.shape[:ax] + (x.shape[ax],) + out.shape[ax + 1:])
        begin_call("concat", x, out, code)
    joined = sum([x.shape[ax] for x in inputs])
    if joined != out.shape[ax]:
        raise ShapeError(
            f"concat: 'out' has shape {out.shape}, expected length {joined} along axis {ax}"
        )
    if code == REQ_NULL or out.size == 0:
        return
    split_shape(out.shape, ax, &e)
    itemsize = <int>itemsize_of(out.code)
    target = target_of(out, code, inputs)
    for x in inputs:
        n = <Py_ssize_t>x.shape[ax] * e.inner
        walk_start(&walk)
        walk_push(&walk, e.outer, n, e.n * e.inner)
        walk_push(&walk, n, 1, 1)
        if x.size:
            with nogil:
                strided_copy(x.data, target.data + start * itemsize, itemsize, &walk)
        start += n
    settle(out, target, code)
