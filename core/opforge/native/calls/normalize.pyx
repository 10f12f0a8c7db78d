"""Layer normalization: each slice along an axis is normalized by its mean and standard deviation.

Normalization by channel is in `native.calls.channels`. float16 is computed in float32; parameters may
have another float type than the data.
"""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.string cimport memset

from opforge.native.array.array cimport Array, new_array, wait_read, wait_write
from opforge.native.array.expect cimport expect_axis, expect_float, expect_shape, without_axis
from opforge.native.array.output cimport req_code, settle
from opforge.native.loops.casting cimport run_cast
from opforge.native.loops.stores cimport exceeds_cache
from opforge.native.memory.types cimport F32, F64, REQ_ADD, REQ_NULL, REQ_WRITE, itemsize_of
from opforge.native.threads.parallel cimport parallel_for

from opforge.native.kernels import isa as _isa
from opforge.native.calls.movement import transpose

__all__ = ["layer_norm", "layer_norm_grad"]

normalize_kernels = <opforge_normalize_table*>PyCapsule_GetPointer(
    _isa.table("normalize"), b"opforge.kernels.normalize"
)

cdef enum:
    GRAIN = 16384                      # minimum elements per thread: 5 us
    MAX_CHUNKS = 64                    # partial sums of the gradients of gamma and beta

cdef struct Layer:
    const char* dy
    const char* x
    const char* gamma
    const char* beta
    char* y
    char* mean
    char* std
    double* sums                       # 2 * n per chunk: dgamma, dbeta
    Py_ssize_t rows, n, item, chunk
    double eps
    int code


cdef Array cast_to(Array x, int code):
    cdef Array copy
    if x is None or x.code == code:
        return x
    copy = new_array(x.shape, code, x.context)
    with nogil:
        run_cast(x.code, code, x.data, copy.data, x.size)
    return copy


cdef int store_result(Array result, Array out, int req) except -1:
    if req == REQ_NULL:
        return 0
    if result.code == out.code:
        return settle(out, result, req)
    if req == REQ_ADD:
        return settle(out, cast_to(result, out.code), req)
    with nogil:
        run_cast(result.code, out.code, result.data, out.data, out.size)
    return 0


cdef int expect_gradients(str function, Array x, Array dy, Array dx) except -1:
    """Check the gradients of the output and of the data, and wait for them."""
    expect_shape(function, "dy", dy, x.shape)
    expect_float(function, "dy", dy)
    wait_read(dy)
    if dx is not None:
        expect_shape(function, "dx", dx, x.shape)
        wait_write(dx)
    return 0


cdef Array axis_last(Array x, int axis):
    """Return `x` with `axis` moved to the end, or `x` itself if it is the last axis."""
    cdef Array moved
    if axis == x.ndim - 1:
        return x
    order = tuple([i for i in range(x.ndim) if i != axis]) + (axis,)
    moved = new_array(tuple([x.shape[i] for i in order]), x.code, x.context)
    transpose(x, moved, order)
    return moved


cdef Array axis_back(Array moved, int axis, tuple shape):
    """Undo `axis_last`."""
    cdef Array x
    if axis == len(shape) - 1:
        return moved
    last = len(shape) - 1
    order = tuple(range(axis)) + (last,) + tuple(range(axis, last))
    x = new_array(shape, moved.code, moved.context)
    transpose(moved, x, order)
    return x


cdef void layer_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Layer* t = <Layer*>arg
    cdef Py_ssize_t offset = begin * t.n * t.item
    normalize_kernels.layer[t.code](
        t.x + offset, t.gamma, t.beta, t.y + offset, t.mean + begin * t.item, t.std + begin * t.item,
        end - begin, t.n, t.eps, exceeds_cache(2 * t.rows * t.n * t.item),
    )


cdef void layer_grad_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Layer* t = <Layer*>arg
    cdef Py_ssize_t chunk, first, rows, offset
    for chunk in range(begin, end):
        first = chunk * t.chunk
        rows = min(t.rows - first, t.chunk)
        offset = first * t.n * t.item
        normalize_kernels.layer_grad[t.code](
            t.dy + offset, t.x + offset, t.gamma, t.mean + first * t.item, t.std + first * t.item,
            t.y + offset, t.sums + chunk * 2 * t.n, t.sums + (chunk * 2 + 1) * t.n, rows, t.n,
        )


cdef int check_layer(str function, Array x, tuple named, int axis) except -1:
    """Check the arrays; `named` holds (name, array or None, whether its shape is that of the axis)."""
    expect_float(function, "x", x)
    for name, array, per_element in named:
        if array is None:
            continue
        expect_float(function, name, array)
        wait_read(array)
        if per_element:
            expect_shape(function, name, array, (x.shape[axis],))
        elif (<Array>array).shape != x.shape[:axis] + (1,) + x.shape[axis + 1:]:
            expected = without_axis(x.shape, axis)
            if expected != () or (<Array>array).shape != (1,):
                expect_shape(function, name, array, expected)
    return wait_read(x)


def layer_norm(
    Array x not None, Array gamma, Array beta, Array out not None, Array mean, Array std,
    axis=-1, double eps=1e-5, req="write",
):
    """Normalize along `axis`: ``(x - mean) / std * gamma + beta`` with ``std = sqrt(var + eps)``.

    Parameters
    ----------
    x, out : Array, same shape and float dtype
    gamma, beta : Array, shape (x.shape[axis],), or None
    mean, std : Array or None
        Receive the moments; shape of `x` without `axis`, or with length 1 there.
    axis : int
    eps : float
    req : {"write", "inplace", "add", "null"}
        Applies to `out`; the moments are always written.
    """
    cdef int code = req_code(req), ax = expect_axis("layer_norm", axis, x.ndim)
    cdef int real = F64 if x.code == F64 else F32
    cdef Array source, result, means, stds, gammas, betas
    cdef Layer t
    check_layer("layer_norm", x, (
        ("gamma", gamma, True), ("beta", beta, True), ("mean", mean, False), ("std", std, False),
    ), ax)
    expect_shape("layer_norm", "out", out, x.shape)
    expect_float("layer_norm", "out", out)
    wait_write(out)
    if x.size == 0:
        return
    source = axis_last(cast_to(x, real), ax)
    gammas, betas = cast_to(gamma, real), cast_to(beta, real)
    result = new_array(source.shape, real, x.context) if code != REQ_WRITE or ax != x.ndim - 1 or (
        out.code != real) else out
    means = new_array(source.shape[:source.ndim - 1], real, x.context)
    stds = new_array(means.shape, real, x.context)
    t.code, t.eps, t.item = 1 if real == F64 else 0, eps, itemsize_of(real)
    t.n = source.shape[source.ndim - 1]
    t.rows = source.size // t.n
    t.gamma = NULL if gammas is None else gammas.data
    t.beta = NULL if betas is None else betas.data
    if result is out and out.data != source.data:
        if shares_buffer(out, source, gammas, betas):
            result = new_array(source.shape, real, x.context)
    t.x, t.y, t.mean, t.std = source.data, result.data, means.data, stds.data
    with nogil:
        parallel_for(t.rows, GRAIN // t.n + 1, layer_part, &t)
    if mean is not None:
        store_result(means, mean, REQ_WRITE)
    if std is not None:
        store_result(stds, std, REQ_WRITE)
    if result is not out:
        store_result(axis_back(result, ax, x.shape), out, code)


cdef bint shares_buffer(Array out, Array x, Array gamma, Array beta):
    """Return whether `out` shares its buffer with an input."""
    return (
        out.buffer is x.buffer
        or (gamma is not None and out.buffer is gamma.buffer)
        or (beta is not None and out.buffer is beta.buffer)
    )


def layer_norm_grad(
    Array dy not None, Array x not None, Array gamma, Array mean not None, Array std not None,
    Array dx, Array dgamma, Array dbeta, axis=-1, reqs=("write", "write", "write"),
):
    """Compute the gradients of `layer_norm` with respect to data, gamma and beta.

    Parameters
    ----------
    dy, x : Array, same shape and float dtype
    gamma : Array or None
    mean, std : Array
        The moments computed by `layer_norm`.
    dx, dgamma, dbeta : Array or None
        Receive the gradients; None for a gradient that is not needed.
    reqs : tuple of three requests
    """
    cdef int ax = expect_axis("layer_norm_grad", axis, x.ndim)
    cdef int real = F64 if x.code == F64 else F32
    cdef int dx_req = req_code(reqs[0]), dgamma_req = req_code(reqs[1]), dbeta_req = req_code(reqs[2])
    cdef Array source, dy_last, result, means, stds, gammas, sums
    cdef Py_ssize_t chunks, chunk, i
    cdef Layer t
    check_layer("layer_norm_grad", x, (
        ("gamma", gamma, True), ("mean", mean, False), ("std", std, False), ("dgamma", dgamma, True),
        ("dbeta", dbeta, True),
    ), ax)
    expect_gradients("layer_norm_grad", x, dy, dx)
    t.n = x.shape[ax]
    t.rows = x.size // t.n if t.n else 0
    t.chunk = max(<Py_ssize_t>64, (t.rows + MAX_CHUNKS - 1) // MAX_CHUNKS)
    chunks = (t.rows + t.chunk - 1) // t.chunk
    source, dy_last = axis_last(cast_to(x, real), ax), axis_last(cast_to(dy, real), ax)
    means, stds, gammas = cast_to(mean, real), cast_to(std, real), cast_to(gamma, real)
    result = new_array(source.shape, real, x.context)
    sums = new_array((max(chunks, 1), 2, t.n), F64, x.context)
    memset(sums.data, 0, sums.size * sizeof(double))
    t.code, t.item, t.sums = 1 if real == F64 else 0, itemsize_of(real), <double*>sums.data
    t.gamma = NULL if gammas is None else gammas.data
    t.dy, t.x, t.y, t.mean, t.std = dy_last.data, source.data, result.data, means.data, stds.data
    if x.size:
        with nogil:
            parallel_for(chunks, GRAIN // (t.n * t.chunk) + 1, layer_grad_part, &t)
            for chunk in range(1, chunks):
                for i in range(2 * t.n):
                    t.sums[i] += t.sums[chunk * 2 * t.n + i]
    if dx is not None:
        store_result(axis_back(result, ax, x.shape), dx, dx_req)
    if dgamma is not None:
        store_result(slice_of(sums, 0, t.n), dgamma, dgamma_req)
    if dbeta is not None:
        store_result(slice_of(sums, t.n, t.n), dbeta, dbeta_req)


cdef Array slice_of(Array sums, Py_ssize_t offset, Py_ssize_t n):
    return sums._view(offset, (n,))
