"""Computations of elementwise kernels, reductions and softmax, exported by `plugin_api.kernels`.

Each checks its arguments and calls one driver. The GIL is released for large arrays only.
"""

cimport cython

from opforge.native.array.array cimport Array, new_array, view
from opforge.native.calls.computation cimport Computation, expect_count, expect_like
from opforge.native.calls.extents cimport Extents, split_shape
from opforge.native.calls.reductions cimport ALL_AXES, reduce_array
from opforge.native.calls.rowwise cimport run_softmax, run_softmax_grad
from opforge.native.loops.elementwise cimport (
    BINARY_divide, UNARY_CODES, run_binary_scalar, run_clip, run_unary, unary_gives_mask,
)
from opforge.native.memory.types cimport REQ_WRITE

from opforge.base import dtypes as _dtypes
from opforge.base.errors import (
    AttributeValueError, DTypeError, OperatorNotFoundError, ShapeError,
)
from opforge.native.calls.cross_entropy import softmax_cross_entropy, softmax_cross_entropy_grad
from opforge.native.calls.movement import broadcast_to
from opforge.native.calls.reductions import REDUCTIONS
from opforge.native.calls.rowwise import softmax, softmax_grad

__all__ = [
    "Clip", "CrossEntropy", "CrossEntropyGrad", "Reduce", "Softmax", "SoftmaxGrad", "Spread", "Unary",
]

cdef enum:
    INLINE = 16384                     # elements; smaller arrays are computed without releasing the GIL

cdef tuple NAMES = _dtypes.NAMES


@cython.final
cdef class Unary(Computation):
    """Elementwise ``y = f(x)``.

    Parameters
    ----------
    name : str
        Name of the kernel, for instance ``"relu"``.
    """

    cdef readonly str name
    cdef int op

    def __init__(self, str name not None):
        if name not in UNARY_CODES:
            raise OperatorNotFoundError(
                f"unary elementwise kernel {name!r} not found; available: "
                f"{', '.join(sorted(UNARY_CODES))}"
            )
        self.name = name
        self.op = UNARY_CODES[name]
        self.in_place = True

    cdef int run(self, list inputs, list outputs) except -1:
        cdef Array x, y
        cdef int status
        expect_count(self, inputs, 1, outputs, 1)
        x, y = inputs[0], outputs[0]
        expect_like(self, "out", y, x)
        if x.size < INLINE:
            status = run_unary(self.op, x.code, x.data, y.data, x.size)
        else:
            with nogil:
                status = run_unary(self.op, x.code, x.data, y.data, x.size)
        if status:
            raise DTypeError(
                f"{self!r}: '{self.name}' does not support dtype {NAMES[x.code]}; cast the input first"
            )
        y.is_mask = unary_gives_mask(self.op, x.is_mask)
        return 0


@cython.final
cdef class Clip(Computation):
    """Elements limited to a range.

    Parameters
    ----------
    a_min, a_max : float
        Bounds as in the function `clip`.
    """

    cdef double a_min, a_max

    def __init__(self, double a_min, double a_max):
        self.a_min, self.a_max = a_min, a_max
        self.in_place = True

    cdef int run(self, list inputs, list outputs) except -1:
        cdef Array x, y
        expect_count(self, inputs, 1, outputs, 1)
        x, y = inputs[0], outputs[0]
        expect_like(self, "out", y, x)
        if x.size < INLINE:
            run_clip(x.code, x.data, self.a_min, self.a_max, y.data, x.size)
        else:
            with nogil:
                run_clip(x.code, x.data, self.a_min, self.a_max, y.data, x.size)
        return 0


cdef unsigned int axes_bits(Computation c, tuple axes, bint exclude, int ndim) except? 0:
    """Return the axes to reduce as a bit mask; None means all."""
    cdef unsigned int bits = 0, all_axes = ALL_AXES if ndim >= 32 else (<unsigned int>1 << ndim) - 1
    cdef int axis
    if axes is None or len(axes) == 0:
        return all_axes
    for item in axes:
        axis = item
        if not -ndim <= axis < ndim:
            raise ShapeError(
                f"{c!r}: axis {axis} is out of bounds for {ndim} dimensions; expected {-ndim} to "
                f"{ndim - 1}"
            )
        axis += ndim if axis < 0 else 0
        if bits >> axis & 1:
            raise ShapeError(f"{c!r}: axes {axes} contain axis {axis} twice")
        bits |= <unsigned int>1 << axis
    return all_axes & ~bits if exclude else bits


@cython.final
cdef class Reduce(Computation):
    """Reduction of an array over axes.

    Parameters
    ----------
    name : str
        Name of the reduction, for instance ``"sum"``.
    axes : sequence of int, optional
        Axes to reduce; all if None or empty.
    exclude : bool
        Whether to reduce all axes except `axes`.
    """

    cdef readonly str name
    cdef tuple axes
    cdef bint exclude
    cdef int op, finish

    def __init__(self, str name not None, axes=None, bint exclude=False):
        if name not in REDUCTIONS:
            raise OperatorNotFoundError(
                f"reduction {name!r} not found; available: {', '.join(sorted(REDUCTIONS))}"
            )
        self.name = name
        self.axes = None if axes is None else tuple(axes)
        self.exclude = exclude
        self.op, self.finish = REDUCTIONS[name]

    def axes_of(self, int ndim):
        """Return the sorted axes over which an array of `ndim` axes is reduced."""
        cdef unsigned int bits = axes_bits(self, self.axes, self.exclude, ndim) if ndim else 0
        return tuple([axis for axis in range(ndim) if bits >> axis & 1])

    cdef int run(self, list inputs, list outputs) except -1:
        cdef Array x, out
        expect_count(self, inputs, 1, outputs, 1)
        x, out = inputs[0], outputs[0]
        bits = axes_bits(self, self.axes, self.exclude, x.ndim) if x.ndim else 0
        return reduce_array(self.name, self.op, self.finish, x, out, bits, REQ_WRITE)


@cython.final
cdef class Spread(Computation):
    """Gradient of a reduction, repeated along the reduced axes.

    Inputs are the gradient and an array of the shape to broadcast to.

    Parameters
    ----------
    axes, exclude
        As for `Reduce`.
    mean : bool
        Whether to divide by the number of elements reduced to each result.
    """

    cdef tuple axes
    cdef bint exclude
    cdef readonly bint mean

    def __init__(self, axes=None, bint exclude=False, bint mean=False):
        self.axes = None if axes is None else tuple(axes)
        self.exclude = exclude
        self.mean = mean

    def kept_shape(self, tuple shape not None):
        """Return `shape` with length 1 in the reduced axes, from which the gradient is broadcast."""
        cdef int ndim = <int>len(shape)
        cdef unsigned int bits = axes_bits(self, self.axes, self.exclude, ndim) if ndim else 0
        return tuple([1 if bits >> axis & 1 else size for axis, size in enumerate(shape)])

    cdef int run(self, list inputs, list outputs) except -1:
        cdef Array small, like, out
        expect_count(self, inputs, 2, outputs, 1)
        small, like, out = inputs[0], inputs[1], outputs[0]
        expect_like(self, "out", out, like)
        if self.mean and small.size:
            small = divided(small, max(like.size // small.size, 1))
        broadcast_to(view(small, 0, self.kept_shape(like.shape)), out)
        return 0


cdef Array divided(Array x, Py_ssize_t count):
    """Return ``x / count`` as a new array."""
    cdef Array result = new_array(x.shape, x.code, x.context)
    run_binary_scalar(BINARY_divide, x.code, x.data, count, result.data, x.size, False)
    return result


cdef int split_at(Computation c, Array x, int axis, Extents* extents) except -1:
    """Check `axis` and fill `extents` with the sizes around it."""
    cdef int ndim = max(x.ndim, 1)
    if not -ndim <= axis < ndim:
        raise ShapeError(
            f"{c!r}: axis {axis} is out of bounds for shape {x.shape}; expected {-ndim} to {ndim - 1}"
        )
    return split_shape(x.shape, axis + ndim if axis < 0 else axis, extents)


cdef class _AlongAxis(Computation):
    """Base class of `Softmax` and `SoftmaxGrad`, which have the same attributes."""

    cdef int axis
    cdef double temperature
    cdef double scale                  # factor of the input: 1 / temperature, negative for softmin
    cdef bint log, negate

    def __init__(self, int axis=-1, double temperature=1.0, bint log=False, bint negate=False):
        if not temperature > 0:
            raise AttributeValueError(
                f"{type(self).__name__}: temperature is {temperature}; expected a value above 0"
            )
        self.axis, self.temperature, self.log, self.negate = axis, temperature, log, negate
        self.scale = (-1.0 if negate else 1.0) / temperature
        self.in_place = True


@cython.final
cdef class Softmax(_AlongAxis):
    """Softmax: ``exp(x / temperature)`` divided by its sum along an axis.

    Parameters
    ----------
    axis, temperature, log, negate
        As in `rowwise.softmax`.
    """

    cdef int run(self, list inputs, list outputs) except -1:
        cdef Array x, y
        cdef Extents e
        cdef int status
        expect_count(self, inputs, 1, outputs, 1)
        x, y = inputs[0], outputs[0]
        expect_like(self, "out", y, x)
        split_at(self, x, self.axis, &e)
        if x.size < INLINE:
            status = run_softmax(
                x.code, x.data, y.data, e.outer, e.n, e.inner, self.scale, self.log
            )
        else:
            with nogil:
                status = run_softmax(
                    x.code, x.data, y.data, e.outer, e.n, e.inner, self.scale, self.log
                )
        if status:
            softmax(x, y, self.axis, self.temperature, self.log, self.negate)
        return 0


@cython.final
cdef class SoftmaxGrad(_AlongAxis):
    """Gradient of `Softmax` from the gradient of its output and the output.

    Parameters
    ----------
    axis, temperature, log, negate
        As for `Softmax`.
    """

    cdef int run(self, list inputs, list outputs) except -1:
        cdef Array dy, y, dx
        cdef Extents e
        cdef int status
        expect_count(self, inputs, 2, outputs, 1)
        dy, y, dx = inputs[0], inputs[1], outputs[0]
        expect_like(self, "dy", dy, y)
        expect_like(self, "out", dx, y)
        split_at(self, y, self.axis, &e)
        if y.size < INLINE:
            status = run_softmax_grad(
                y.code, dy.data, y.data, dx.data, e.outer, e.n, e.inner, self.scale, self.log
            )
        else:
            with nogil:
                status = run_softmax_grad(
                    y.code, dy.data, y.data, dx.data, e.outer, e.n, e.inner, self.scale, self.log
                )
        if status:
            softmax_grad(dy, y, dx, self.axis, self.temperature, self.log, self.negate)
        return 0


@cython.final
cdef class CrossEntropy(Computation):
    """Cross entropy ``-log(softmax(x))[label]`` of each row along the last axis.

    Inputs are data and class labels; outputs are the losses, and two values per row for
    `CrossEntropyGrad`.
    """

    cdef int run(self, list inputs, list outputs) except -1:
        expect_count(self, inputs, 2, outputs, 2)
        softmax_cross_entropy(inputs[0], inputs[1], outputs[0], outputs[1])
        return 0


@cython.final
cdef class CrossEntropyGrad(Computation):
    """Gradient of `CrossEntropy` with respect to the data.

    Inputs are the gradient of the losses, the data, the class labels and the second output of the
    forward computation.
    """

    cdef int run(self, list inputs, list outputs) except -1:
        expect_count(self, inputs, 4, outputs, 1)
        softmax_cross_entropy_grad(inputs[0], inputs[1], inputs[2], inputs[3], outputs[0])
        return 0
