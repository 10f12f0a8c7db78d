"""Moments over any axes and batch normalization, which normalizes each channel by given moments.

In training, call `moments` first and pass its results; in inference pass the moving averages. 16-bit floats are
converted in parts that stay in the cache.
"""

from libc.math cimport sqrt
from libc.string cimport memset

from opforge.native.array.array cimport Array, dims_of, new_array, wait_read, wait_write
from opforge.native.array.expect cimport expect_axis, expect_float, expect_shape
from opforge.native.array.output cimport req_code
from opforge.native.calls.normalize cimport cast_to, store_result, expect_gradients, normalize_kernels
from opforge.native.kernels.reduce cimport REDUCE_WIDE, REDUCE_dotdev, REDUCE_sqdev, REDUCE_sum
from opforge.native.loops.choice cimport converters
from opforge.native.loops.reduce cimport FINISH_MEAN, FINISH_NONE, run_reduction
from opforge.native.memory.types cimport F32, F64, MAX_NDIM, REQ_NULL, REQ_WRITE, itemsize_of
from opforge.native.threads.parallel cimport parallel_for

from math import prod

from opforge.base.errors import ShapeError

__all__ = ["batch_norm", "batch_norm_grad", "moments"]

cdef enum:
    GRAIN = 16384                      # minimum elements per thread
    PART = 1024                        # elements of 16-bit floats that are converted together

cdef struct Channels:
    const char* dy                     # NULL in the forward pass
    const char* x
    char* y
    Py_ssize_t channels
    int stored, result                 # element types of dy and x, and of y
    Py_ssize_t groups, lanes           # row i belongs to group i % groups, its element j to lane j % lanes
    Py_ssize_t length                  # elements of a row
    int wide                           # element type of the kernels
    const double* mean
    const double* scale
    const double* a                    # in the forward pass: the shift
    const double* b


def moments(Array x not None, Array mean not None, Array var not None, tuple axes=()):
    """Compute the mean and the (biased) variance of `x` over `axes`.

    Parameters
    ----------
    x : Array of float dtype
    mean, var : Array
        Receive the results: shape of `x` without `axes`, with length 1 there, or flattened.
    axes : tuple of int
        Axes to reduce; empty for all.
    """
    cdef Py_ssize_t[MAX_NDIM] dims
    cdef char[MAX_NDIM] reduced
    cdef int ndim = dims_of(x, dims), i
    cdef Array center, spread
    expect_float("moments", "x", x)
    reduced_axes = {expect_axis("moments", axis, ndim) for axis in axes} or set(range(ndim))
    for i in range(ndim):
        reduced[i] = i in reduced_axes
    kept = tuple([d for i, d in enumerate(x.shape) if i not in reduced_axes])
    keepdims = tuple([1 if i in reduced_axes else d for i, d in enumerate(x.shape)])
    for name, array in (("mean", mean), ("var", var)):
        if (<Array>array).shape not in (keepdims, (prod(kept),)):
            expect_shape("moments", name, array, kept)
        wait_write(array)
    wait_read(x)
    center = new_array(mean.shape, F64, x.context)
    spread = new_array(mean.shape, F64, x.context)
    with nogil:
        run_reduction(
            REDUCE_sum | REDUCE_WIDE, x.code, x.data, NULL, NULL, dims, reduced, ndim, FINISH_MEAN,
            center.data, F64,
        )
        run_reduction(
            REDUCE_sqdev, x.code, x.data, NULL, <const double*>center.data, dims, reduced, ndim,
            FINISH_MEAN, spread.data, F64,
        )
    store_result(center, mean, REQ_WRITE)
    store_result(spread, var, REQ_WRITE)


cdef inline Py_ssize_t part_of_row(Channels* t, Py_ssize_t done) noexcept nogil:
    """Return the number of elements of a row from `done` on that are computed together."""
    if t.stored == t.wide and t.result == t.wide:
        return t.length
    if t.lanes <= PART:
        return min(PART // t.lanes * t.lanes, t.length - done)
    return min(<Py_ssize_t>PART, t.lanes - done % t.lanes)


cdef inline const char* widened(
    Channels* t, const char* stored, Py_ssize_t first, Py_ssize_t n, float* part
) noexcept nogil:
    """Return elements in the type of the kernels."""
    stored += first * itemsize_of(t.stored)
    if t.stored == t.wide:
        return stored
    converters.cast[t.stored][t.wide](stored, part, n)
    return <const char*>part


cdef void run_part(Channels* t, Py_ssize_t first, Py_ssize_t n, Py_ssize_t c) noexcept nogil:
    """Compute `n` elements of a row from element `first` on, which begin with channel `c`."""
    cdef float[PART] head, source, result
    cdef int kernel = 1 if t.wide == F64 else 0
    cdef char* y = t.y + first * itemsize_of(t.result)
    cdef char* target = y if t.result == t.wide else <char*>result
    cdef const char* x = widened(t, t.x, first, n, source)
    cdef Py_ssize_t lanes = min(t.lanes, n)
    if t.dy == NULL:
        normalize_kernels.scale[kernel](x, target, n, t.mean + c, t.scale + c, t.a + c, lanes)
    else:
        normalize_kernels.scale_grad[kernel](
            widened(t, t.dy, first, n, head), x, target, n, t.mean + c, t.scale + c, t.a + c, t.b + c, lanes
        )
    if target != y:
        converters.cast[t.wide][t.result](target, y, n)


cdef void channels_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Normalize rows [begin, end)."""
    cdef Channels* t = <Channels*>arg
    cdef Py_ssize_t row, done, n
    for row in range(begin, end):
        done = 0
        while done < t.length:
            n = part_of_row(t, done)
            run_part(t, row * t.length + done, n, row % t.groups * t.lanes + done % t.lanes)
            done += n


cdef void launch(Channels* t, Py_ssize_t size) noexcept nogil:
    if size:
        parallel_for(size // t.length, GRAIN // t.length + 1, channels_part, t)


cdef int describe(
    Channels* t, str function, Array x, tuple named, int axis, bint blocked
) except -1:
    cdef Py_ssize_t inner = 1
    expect_float(function, "x", x)
    wait_read(x)
    if blocked and axis == x.ndim - 1:
        raise ShapeError(
            f"{function}: 'x' of shape {x.shape} is blocked, so its last axis, {axis}, holds the lanes of "
            "the channels; pass the axis that holds their groups"
        )
    t.groups, t.lanes = x.shape[axis], x.shape[x.ndim - 1] if blocked else 1
    t.channels = t.groups * t.lanes
    for name, array in named:
        if array is not None:
            expect_float(function, name, array)
            expect_shape(function, name, array, (t.channels,))
            wait_read(array)
    for dim in x.shape[axis + 1:x.ndim - blocked]:
        inner *= dim
    if inner == 1:                     # all channels of a position are contiguous
        t.groups, t.lanes = 1, t.channels
    t.length = inner * t.lanes
    t.stored, t.wide = x.code, F64 if x.code == F64 else F32
    t.dy = NULL
    return 0


cdef Array factors(Array gamma, Array var, double eps):
    """Return gamma / sqrt(var + eps) in float64."""
    cdef Array result = new_array(var.shape, F64, var.context)
    cdef Array spread = cast_to(var, F64), gains = cast_to(gamma, F64)
    cdef double* f = <double*>result.data
    cdef Py_ssize_t i
    for i in range(result.size):
        f[i] = 1 / sqrt((<double*>spread.data)[i] + eps)
        if gains is not None:
            f[i] *= (<double*>gains.data)[i]
    return result


cdef Array zeros(Array like):
    cdef Array result = new_array(like.shape, F64, like.context)
    memset(result.data, 0, result.size * sizeof(double))
    return result


def batch_norm(
    Array x not None, Array gamma, Array beta, Array mean not None, Array var not None,
    Array out not None, axis=1, double eps=1e-3, req="write", bint blocked=False,
):
    """Normalize each channel: ``(x - mean) / sqrt(var + eps) * gamma + beta``.

    Parameters
    ----------
    x, out : Array of float dtype, one shape
    gamma, beta : Array, shape (channels,), or None for 1 and 0
    mean, var : Array, shape (channels,)
    axis : int
        The channel axis.
    blocked : bool
        Whether the last axis of `x` holds lanes of the channels, as in the layout `layouts.Blocked`.
    """
    cdef int code = req_code(req), ax = expect_axis("batch_norm", axis, x.ndim)
    cdef Array result = out, center, scale, shift
    cdef Channels t
    describe(
        &t, "batch_norm", x, (("gamma", gamma), ("beta", beta), ("mean", mean), ("var", var)), ax, blocked
    )
    expect_shape("batch_norm", "out", out, x.shape)
    expect_float("batch_norm", "out", out)
    wait_write(out)
    if code == REQ_NULL or x.size == 0:
        return
    center, scale = cast_to(mean, F64), factors(gamma, var, eps)
    shift = zeros(mean) if beta is None else cast_to(beta, F64)
    if code != REQ_WRITE or out.code != x.code or out.buffer is x.buffer:
        result = new_array(x.shape, t.wide, x.context)
    t.x, t.y, t.result = x.data, result.data, result.code
    t.mean, t.scale, t.a = <double*>center.data, <double*>scale.data, <double*>shift.data
    t.b = NULL
    with nogil:
        launch(&t, x.size)
    if result is not out:
        store_result(result, out, code)


def batch_norm_grad(
    Array dy not None, Array x not None, Array gamma, Array mean not None, Array var not None,
    Array dx, Array dgamma, Array dbeta, axis=1, double eps=1e-3, bint use_global_stats=False,
    reqs=("write", "write", "write"), bint blocked=False,
):
    """Compute the gradients of `batch_norm` with respect to data, gamma and beta.

    Parameters
    ----------
    mean, var : Array
        The moments used in the forward pass.
    use_global_stats : bool
        Whether these were constants (inference) rather than the moments of `x`.
    dx, dgamma, dbeta : Array or None
        Receive the gradients; None for a gradient that is not needed.
    reqs : tuple of three requests
    blocked : bool
        Whether the last axis of `x` holds lanes of the channels.
    """
    cdef int ax = expect_axis("batch_norm_grad", axis, x.ndim)
    cdef int ndim, i
    cdef int dx_req = req_code(reqs[0]), dgamma_req = req_code(reqs[1]), dbeta_req = req_code(reqs[2])
    cdef Py_ssize_t[MAX_NDIM] dims
    cdef char[MAX_NDIM] reduced
    cdef Py_ssize_t c, count
    cdef Array source, head, result, center, scale, inverse, dy_sums, dy_dots, a, b
    cdef bint is_apart, is_direct
    cdef Channels t
    describe(&t, "batch_norm_grad", x, (
        ("gamma", gamma), ("mean", mean), ("var", var), ("dgamma", dgamma), ("dbeta", dbeta),
    ), ax, blocked)
    expect_gradients("batch_norm_grad", x, dy, dx)
    source, head = x, dy
    if dy.code != x.code:
        source, head, t.stored = cast_to(x, t.wide), cast_to(dy, t.wide), t.wide
    center, scale, inverse = cast_to(mean, F64), factors(gamma, var, eps), factors(None, var, eps)
    dy_sums, dy_dots, a, b = zeros(mean), zeros(mean), zeros(mean), zeros(mean)
    ndim = dims_of(x, dims)
    for i in range(ndim):
        reduced[i] = i != ax and not (blocked and i == ndim - 1)
    with nogil:
        run_reduction(
            REDUCE_sum, t.stored, head.data, NULL, NULL, dims, reduced, ndim, FINISH_NONE, dy_sums.data, F64
        )
        run_reduction(
            REDUCE_dotdev, t.stored, source.data, head.data, <const double*>center.data, dims, reduced,
            ndim, FINISH_NONE, dy_dots.data, F64,
        )
    count = x.size // t.channels if t.channels else 0
    for c in range(t.channels):
        (<double*>dy_dots.data)[c] *= (<double*>inverse.data)[c]
        if not use_global_stats and count:
            (<double*>a.data)[c] = (<double*>dy_sums.data)[c] / count
            (<double*>b.data)[c] = (<double*>dy_dots.data)[c] * (<double*>inverse.data)[c] / count
    if dx is not None and x.size:
        is_apart = dx.buffer is not x.buffer and dx.buffer is not dy.buffer
        is_direct = dx_req == REQ_WRITE and dx.code == x.code and is_apart
        result = dx if is_direct else new_array(x.shape, t.wide, x.context)
        t.dy, t.x, t.y, t.result = head.data, source.data, result.data, result.code
        t.mean, t.scale = <double*>center.data, <double*>scale.data
        t.a, t.b = <double*>a.data, <double*>b.data
        with nogil:
            launch(&t, x.size)
        if result is not dx:
            store_result(result, dx, dx_req)
    if dgamma is not None:
        store_result(dy_dots, dgamma, dgamma_req)
    if dbeta is not None:
        store_result(dy_sums, dbeta, dbeta_req)
