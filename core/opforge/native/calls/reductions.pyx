"""Reductions of arrays: sum, mean, prod, max, min and norms.

Also the gradients that sum repeated elements (`tile_grad`, `repeat_grad`). Validates, then hands
over to `native.loops.reduce`.
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

#: name -> (operation, what is done to the sum in the end)
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
    """The axes as bits; none named means all."""
    cdef unsigned int mask = 0
    cdef int axis
    if not axes:
        return ALL_AXES
    for item in axes:
        axis = expect_axis(function, item, ndim)
        if mask >> axis & 1:
            raise ShapeError(f"{function}: axes {axes} name axis {axis} twice")
        mask |= <unsigned int>1 << axis
    return mask


cdef bint fits(const Py_ssize_t* dims, int ndim, unsigned int axes, Array out) except -1:
    """Whether `out` has the dimensions that are kept, or all of them with length 1 where reduced.

    A scalar result may be () or (1,).
    """
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef int out_ndim = dims_of(out, sizes), axis, place = 0
    cdef bint held = out_ndim == ndim, kept = True
    for axis in range(ndim):
        if axes >> axis & 1:
            held = held and sizes[axis] == 1
        else:
            held = held and sizes[axis] == dims[axis]
            kept = kept and place < out_ndim and sizes[place] == dims[axis]
            place += 1
    return held or (kept and place == out_ndim) or (place == 0 and out_ndim == 1 and sizes[0] == 1)


cdef int expect_folded(str function, Array x, Array out, unsigned int axes) except -1:
    cdef Py_ssize_t[MAX_NDIM] dims
    cdef int ndim = dims_of(x, dims)
    if fits(dims, ndim, axes, out):
        return 0
    kept = tuple([d for i, d in enumerate(x.shape) if not axes >> i & 1])
    held = tuple([1 if axes >> i & 1 else d for i, d in enumerate(x.shape)])
    raise ShapeError(
        f"{function}: 'out' has shape {out.shape}, expected {kept or (1,)}, or {held} with the axes kept"
    )


def reduce(str name not None, Array x not None, Array out not None, tuple axes=(), req="write"):
    """Fold `x` over `axes`.

    Parameters
    ----------
    name : {"sum", "mean", "prod", "max", "min", "norm", "norm1", "nansum", "nanprod"}
        norm is the root of the sum of squares, norm1 the sum of magnitudes; NaN wins in max and min.
    x : Array
    out : Array
        Shape of `x` without `axes`, or with length 1 there; any dtype.
    axes : tuple of int
        Empty: all.
    req : {"write", "inplace", "add", "null"}

    Notes
    -----
    float types are summed in float64 and integers in 64 bits, where they wrap. Folding nothing gives
    0 for sums, 1 for products, NaN for a mean and the type's extreme for max and min.
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
    expect_folded(function, x, out, axes)
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
    """Sum `dy`, seen with `dims`, over those that are repetitions."""
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
    """Gradient of `tile`: each element of `out` is the sum of its copies in `dy`."""
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
    """Gradient of `repeat`: sums runs of `repeats` elements (or slices along `axis`)."""
    cdef int at
    expect_code("repeat_grad", "out", out, dy.code)
    if axis is None:
        expect_shape("repeat_grad", "dy", dy, (<object>out.size * repeats,))
        dims = [out.size, repeats]
    else:
        at = expect_axis("repeat_grad", axis, out.ndim)
        shape = out.shape
        expect_shape("repeat_grad", "dy", dy, shape[:at] + (shape[at] * repeats,) + shape[at + 1:])
        dims = [*shape[:at + 1], repeats, *shape[at + 1:]]
    repeated = [False] * len(dims)
    repeated[1 if axis is None else at + 1] = True
    sum_repeats(dy, out, dims, repeated, req_code(req))
