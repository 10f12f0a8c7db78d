"""Softmax over one axis: softmax, log_softmax, softmin and their gradients.

The last axis is processed row by row, any other axis in groups of adjacent columns. 16-bit floats are computed
in float32.
"""

from cpython.pycapsule cimport PyCapsule_GetPointer

from opforge.native.array.array cimport Array, new_array, wait_read, wait_write
from opforge.native.array.expect cimport expect_axis, expect_code, expect_float, expect_shape
from opforge.native.array.output cimport req_code, elementwise_target_of, settle
from opforge.native.calls.extents cimport Extents, split_shape
from opforge.native.kernels.rowwise cimport (
    OPFORGE_COLUMNS, OPFORGE_LOG, OPFORGE_STREAM, opforge_rowwise_table, opforge_softmax_fn,
    opforge_softmax_grad_fn,
)
from opforge.native.loops.casting cimport run_cast
from opforge.native.loops.stores cimport exceeds_cache
from opforge.native.memory.types cimport F32, F64, REQ_NULL, is_half, itemsize_of
from opforge.native.threads.parallel cimport parallel_for

from opforge.base.errors import AttributeValueError
from opforge.native.kernels import isa as _isa

__all__ = ["softmax", "softmax_grad"]

cdef opforge_rowwise_table* kernels = <opforge_rowwise_table*>PyCapsule_GetPointer(
    _isa.table("rowwise"), b"opforge.kernels.rowwise"
)

cdef enum:
    GRAIN = 8192                       # minimum elements per thread: 4 us


cdef struct Task:
    opforge_softmax_fn forward         # NULL for a gradient
    opforge_softmax_grad_fn backward
    const char* dy
    const char* x
    char* y
    Py_ssize_t n, inner, tiles, item
    double scale
    int flags


cdef void part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Compute rows [begin, end), or groups of columns if the axis is not the last."""
    cdef Task* t = <Task*>arg
    cdef Py_ssize_t unit, offset, column, count
    if t.inner == 1:
        offset = begin * t.n * t.item
        if t.forward != NULL:
            t.forward(t.x + offset, t.y + offset, end - begin, t.n, 1, t.scale, t.flags)
        else:
            t.backward(t.dy + offset, t.x + offset, t.y + offset, end - begin, t.n, 1, t.scale, t.flags)
        return
    for unit in range(begin, end):
        column = unit % t.tiles * OPFORGE_COLUMNS
        count = min(t.inner - column, <Py_ssize_t>OPFORGE_COLUMNS)
        offset = (unit // t.tiles * t.n * t.inner + column) * t.item
        if t.forward != NULL:
            t.forward(t.x + offset, t.y + offset, count, t.n, t.inner, t.scale, t.flags)
        else:
            t.backward(t.dy + offset, t.x + offset, t.y + offset, count, t.n, t.inner, t.scale, t.flags)


cdef void launch(Task* t, Py_ssize_t outer) noexcept nogil:
    """Divide into rows or groups of columns and run; do nothing if there are no elements."""
    cdef Py_ssize_t units, work
    if outer * t.n * t.inner == 0:
        return
    t.tiles = (t.inner + OPFORGE_COLUMNS - 1) // OPFORGE_COLUMNS
    units = outer if t.inner == 1 else outer * t.tiles
    work = t.n * min(t.inner, <Py_ssize_t>OPFORGE_COLUMNS)
    parallel_for(units, GRAIN // work + 1, part, t)


cdef int flags_of(bint log, bint in_place, Py_ssize_t nbytes) noexcept nogil:
    return (OPFORGE_LOG if log else 0) | (OPFORGE_STREAM if exceeds_cache(2 * nbytes) and not in_place else 0)


cdef int run_softmax(
    int code, const void* x, void* y, Py_ssize_t outer, Py_ssize_t n, Py_ssize_t inner,
    double scale, bint log,
) noexcept nogil:
    cdef Task t
    if code != F32 and code != F64:
        return 1
    t.forward = kernels.rows[code] if inner == 1 else kernels.cols[code]
    t.dy, t.x, t.y, t.item = NULL, <const char*>x, <char*>y, itemsize_of(code)
    t.n, t.inner, t.scale = n, inner, scale
    t.flags = flags_of(log, x == y, outer * n * inner * t.item)
    launch(&t, outer)
    return 0


cdef int run_softmax_grad(
    int code, const void* dy, const void* y, void* dx, Py_ssize_t outer, Py_ssize_t n,
    Py_ssize_t inner, double scale, bint log,
) noexcept nogil:
    cdef Task t
    if code != F32 and code != F64:
        return 1
    t.forward = NULL
    t.backward = kernels.grad_rows[code] if inner == 1 else kernels.grad_cols[code]
    t.dy, t.x, t.y, t.item = <const char*>dy, <const char*>y, <char*>dx, itemsize_of(code)
    t.n, t.inner, t.scale = n, inner, scale
    t.flags = flags_of(log, dx == y or dx == dy, outer * n * inner * t.item)
    launch(&t, outer)
    return 0


cdef Array cast_copy(Array x, int code):
    """Return a copy of `x` in another float type."""
    cdef Array copy = new_array(x.shape, code, x.context)
    with nogil:
        run_cast(x.code, code, x.data, copy.data, x.size)
    return copy


cdef double scale_of(str function, double temperature, bint negate) except? -1.5:
    if not temperature > 0:
        raise AttributeValueError(f"{function}: temperature is {temperature}; expected a value above 0")
    return (-1.0 if negate else 1.0) / temperature


def softmax(
    Array x not None, Array out not None, axis=-1, double temperature=1.0, bint log=False,
    bint negate=False, req="write",
):
    """Compute exp(x / temperature) divided by its sum along `axis`.

    Parameters
    ----------
    x, out : Array, same shape and float dtype
    axis : int
    temperature : float > 0
    log : bool
        Whether to compute the logarithm instead.
    negate : bool
        Whether to negate `x` first (softmin).
    req : {"write", "inplace", "add", "null"}

    Raises
    ------
    ShapeError, DTypeError, AttributeValueError
        `axis` is out of range, shapes or dtypes differ, or `temperature` is not positive.
    """
    cdef int code = req_code(req)
    cdef int ax = expect_axis("softmax", axis, max(x.ndim, 1))
    cdef Array target, x_f32 = x
    cdef double scale
    cdef Extents e
    expect_float("softmax", "x", x)
    expect_code("softmax", "out", out, x.code)
    expect_shape("softmax", "out", out, x.shape)
    scale = scale_of("softmax", temperature, negate)
    wait_read(x)
    wait_write(out)
    if code == REQ_NULL:
        return
    if is_half(x.code):
        x_f32 = cast_copy(x, F32)
        softmax(x_f32, x_f32, axis, temperature, log, negate, "inplace")
        settle(out, cast_copy(x_f32, x.code), code)
        return
    target = elementwise_target_of(out, code, (x,))
    split_shape(x.shape, ax, &e)
    with nogil:
        run_softmax(x.code, x.data, target.data, e.outer, e.n, e.inner, scale, log)
    settle(out, target, code)


def softmax_grad(
    Array dy not None, Array y not None, Array out not None, axis=-1, double temperature=1.0,
    bint log=False, bint negate=False, req="write",
):
    """Compute the gradient of `softmax` with respect to its input, from its output `y`.

    Parameters
    ----------
    dy, y, out : Array, same shape and float dtype
        Gradient of the output, output of `softmax`, and the result.
    axis, temperature, log, negate
        The arguments of the call of `softmax`.
    """
    cdef int code = req_code(req)
    cdef int ax = expect_axis("softmax_grad", axis, max(y.ndim, 1))
    cdef Array target, dy_f32, y_f32
    cdef double scale
    cdef Extents e
    expect_float("softmax_grad", "y", y)
    for name, array in (("dy", dy), ("out", out)):
        expect_code("softmax_grad", name, array, y.code)
        expect_shape("softmax_grad", name, array, y.shape)
    scale = scale_of("softmax_grad", temperature, negate)
    wait_read(dy)
    wait_read(y)
    wait_write(out)
    if code == REQ_NULL:
        return
    if is_half(y.code):
        dy_f32, y_f32 = cast_copy(dy, F32), cast_copy(y, F32)
        softmax_grad(dy_f32, y_f32, dy_f32, axis, temperature, log, negate, "inplace")
        settle(out, cast_copy(dy_f32, y.code), code)
        return
    target = elementwise_target_of(out, code, (dy, y))
    split_shape(y.shape, ax, &e)
    with nogil:
        run_softmax_grad(
            y.code, dy.data, y.data, target.data, e.outer, e.n, e.inner, scale, log
        )
    settle(out, target, code)
