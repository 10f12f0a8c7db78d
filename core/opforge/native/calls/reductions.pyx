"""Reductions of arrays: sum, mean, prod, max, min and norms.

Includes the gradients that sum repeated elements (`tile_grad`, `repeat_grad`). This module checks
arguments; `native.loops.reduce` computes.
"""

from opforge.native.array.array cimport Array, dims_of, overlaps, wait_read, wait_write
from opforge.native.array.expect cimport expect_axis, expect_code, expect_shape
from opforge.native.array.output cimport req_code, settle, target_of
from opforge.native.kernels.reduce cimport (
    REDUCE_max, REDUCE_min, REDUCE_nanprod, REDUCE_nansum, REDUCE_prod, REDUCE_sum, REDUCE_sumabs,
    REDUCE_sumsq,
)
from opforge.native.loops.reduce cimport FINISH_MEAN, FINISH_NONE, FINISH_SQRT, run_reduction
from opforge.native.memory.types cimport MAX_NDIM, REQ_ADD, REQ_NULL

from opforge.base.errors import ShapeError

__all__ = ["REDUCTIONS", "reduce", "repeat_grad", "tile_grad"]

#: Name -> (operation, final step)
REDUCTIONS = {
    "sum": (REDUCE_sum, FINISH_NONE),
    "mean": (REDUCE_sum, FINISH_MEAN),
    "prod": (REDUCE_prod, FINISH_NONE),
    "max": (REDUCE_max, FINISH_NONE),
    "min": (REDUCE_min, FINISH_NONE),
    "norm": (REDUCE_sumsq, FINISH_SQRT),
    "norm1": (REDUCE_sumabs, FINISH_NONE),
    "nansum": (REDUCE_nansum, FINISH_NONE),
    "nanprod": (REDUCE_nanprod, FINISH_NONE),
}


cdef long long axes_mask(str function, tuple axes, int ndim) except -1:
    """Return the axes as a bit mask; an empty tuple means all."""
    cdef unsigned int mask = 0
    cdef int axis
    if not axes:
        return ALL_AXES
    for item in axes:
        axis = expect_axis(function, item, ndim)
        if mask >> axis & 1:
            raise ShapeError(f"{function}: axes {axes} contain axis {axis} twice")
        mask |= <unsigned int>1 << axis
    return mask


cdef bint is_reduced_shape(const Py_ssize_t* dims, int ndim, unsigned int axes, Array out) except -1:
    """Return whether `out` has the remaining dimensions, or all of them with length 1 where reduced.

    A scalar result may have shape () or (1,).
    """
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef int out_ndim = dims_of(out, sizes), axis, out_axis = 0
    cdef bint keepdims = out_ndim == ndim, kept = True
    for axis in range(ndim):
        if axes >> axis & 1:
            keepdims = keepdims and sizes[axis] == 1
        else:
            keepdims = keepdims and sizes[axis] == dims[axis]
            kept = kept and out_axis < out_ndim and sizes[out_axis] == dims[axis]
            out_axis += 1
    return keepdims or (kept and out_axis == out_ndim) or (out_axis == 0 and out_ndim == 1 and sizes[0] == 1)


cdef int expect_reduced(str function, Array x, Array out, unsigned int axes) except -1:
    cdef Py_ssize_t[MAX_NDIM] dims
    cdef int ndim = dims_of(x, dims)
    if is_reduced_shape(dims, ndim, axes, out):
        return 0
    kept = tuple([d for i, d in enumerate(x.shape) if not axes >> i & 1])
    keepdims = tuple([1 if axes >> i & 1 else d for i, d in enumerate(x.shape)])
    raise ShapeError(
        f"{function}: 'out' has shape {out.shape}, expected {kept or (1,)}, or {keepdims} with the axes kept"
    )


def reduce(str name not None, Array x not None, Array out not None, tuple axes=(), req="write"):
    """Reduce `x` over `axes`.

    Parameters
    ----------
    name : {"sum", "mean", "prod", "max", "min", "norm", "norm1", "nansum", "nanprod"}
        norm is the root of the sum of squares, norm1 the sum of magnitudes; max and min propagate NaN.
    x : Array
    out : Array
        Shape of `x` without `axes`, or with length 1 there; any dtype.
    axes : tuple of int
        Axes to reduce; empty for all.
    req : {"write", "inplace", "add", "null"}

    Notes
    -----
    Floats are accumulated in float64 and integers in 64 bits, where they wrap. An empty reduction yields
    0 for sums, 1 for products, NaN for a mean, and the type's extreme value for max and min.
    """
    if name not in REDUCTIONS:
        raise ValueError(f"reduce: name {name!r} is unknown; expected one of {sorted(REDUCTIONS)}")
    op, finish = REDUCTIONS[name]
    reduce_array(name, op, finish, x, out, axes_mask(name, axes, x.ndim), req_code(req))


cdef int reduce_array(
    str function, int op, int finish, Array x, Array out, unsigned int axes, int req
) except -1:
    cdef Py_ssize_t[MAX_NDIM] dims
    cdef char[MAX_NDIM] reduced
    cdef int axis, ndim = dims_of(x, dims)
    cdef Array target = out
    for axis in range(ndim):
        reduced[axis] = axes >> axis & 1
    expect_reduced(function, x, out, axes)
    wait_read(x)
    wait_write(out)
    if req == REQ_NULL:
        return 0
    if req == REQ_ADD or overlaps(out, x):
        target = target_of(out, req, (x,))
    with nogil:
        run_reduction(
            op, x.code, x.data, NULL, NULL, dims, reduced, ndim, finish, target.data, target.code
        )
    return settle(out, target, req)


cdef int sum_repeats(Array dy, Array out, list dims, list repeated, int req) except -1:
    """Sum `dy`, viewed with `dims`, over the dimensions that `repeated` marks."""
    cdef Py_ssize_t[2 * MAX_NDIM] sizes
    cdef char[2 * MAX_NDIM] reduced
    cdef int i, ndim = len(dims)
    cdef Array target
    wait_read(dy)
    wait_write(out)
    if req == REQ_NULL or out.size == 0:
        return 0
    for i in range(ndim):
        sizes[i] = dims[i]
        reduced[i] = repeated[i]
    target = target_of(out, req, (dy,))
    with nogil:
        run_reduction(
            REDUCE_sum, dy.code, dy.data, NULL, NULL, sizes, reduced, ndim, FINISH_NONE, target.data,
            target.code,
        )
    return settle(out, target, req)


def tile_grad(Array dy not None, Array out not None, tuple reps, req="write"):
    """Compute the gradient of `tile`: each element of `out` is the sum over its copies in `dy`."""
    cdef int ndim = max(out.ndim, len(reps))
    shape = (1,) * (ndim - out.ndim) + out.shape
    reps = (1,) * (ndim - len(reps)) + reps
    expect_code("tile_grad", "out", out, dy.code)
    expect_shape("tile_grad", "dy", dy, tuple([d * max(r, 0) for d, r in zip(shape, reps)]))
    dims, repeated = [], []
    for dim, rep in zip(shape, reps):
        dims += [max(rep, 0), dim]
        repeated += [True, False]
    sum_repeats(dy, out, dims, repeated, req_code(req))


def repeat_grad(Array dy not None, Array out not None, Py_ssize_t repeats, axis=None, req="write"):
    """Compute the gradient of `repeat`: sum runs of `repeats` elements (or slices along `axis`)."""
    cdef int ax
    expect_code("repeat_grad", "out", out, dy.code)
    if axis is None:
        expect_shape("repeat_grad", "dy", dy, (<object>out.size * repeats,))
        dims = [out.size, repeats]
    else:
        ax = expect_axis("repeat_grad", axis, out.ndim)
        shape = out.shape
        expect_shape("repeat_grad", "dy", dy, shape[:ax] + (shape[ax] * repeats,) + shape[ax + 1:])
        dims = [*shape[:ax + 1], repeats, *shape[ax + 1:]]
    repeated = [False] * len(dims)
    repeated[1 if axis is None else ax + 1] = True
    sum_repeats(dy, out, dims, repeated, req_code(req))
