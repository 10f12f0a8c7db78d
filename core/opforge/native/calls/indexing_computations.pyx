"""Computations that gather slices of a table by index, and their gradients."""

cimport cython

from opforge.native.array.array cimport Array, view
from opforge.native.calls.computation cimport Computation, expect_count, expect_like

from opforge.base.errors import ShapeError
from opforge.native.calls.indexing import take, take_grad

__all__ = ["Take", "TakeGrad"]


cdef class _ByIndex(Computation):
    """Base class of `Take` and `TakeGrad`, which have the same attributes."""

    cdef readonly int axis
    cdef readonly str mode

    def __init__(self, int axis=0, str mode not None="clip"):
        self.axis, self.mode = axis, mode

    cdef Array expanded(self, Array table, Array indices, Array slices, str name):
        """Return `slices` with the shape of `table` in which `axis` is replaced by the axes of `indices`."""
        cdef int axis = self.axis + (table.ndim if self.axis < 0 else 0)
        cdef tuple shape
        if not 0 <= axis < table.ndim:
            raise ShapeError(
                f"{self!r}: axis {self.axis} is out of bounds for a table of shape {table.shape}"
            )
        shape = table.shape[:axis] + indices.shape + table.shape[axis + 1:]
        if slices.shape == shape:
            return slices
        if shape or slices.shape != (1,):
            raise ShapeError(f"{self!r}: '{name}' has shape {slices.shape}, expected {shape}")
        return view(slices, 0, shape)


@cython.final
cdef class Take(_ByIndex):
    """Gathering of slices of a table by an array of indices.

    Inputs are the table and the indices, of any type.

    Parameters
    ----------
    axis : int
        Axis of the table.
    mode : {"clip", "wrap", "raise"}
        Handling of indices out of range: clip them, wrap them around, or raise IndexRangeError.
    indices_first : bool
        Whether the indices are the first input.
    """

    cdef readonly bint indices_first

    def __init__(self, int axis=0, str mode not None="clip", bint indices_first=False):
        super().__init__(axis, mode)
        self.indices_first = indices_first

    cdef int run(self, list inputs, list outputs) except -1:
        cdef Array table, indices
        expect_count(self, inputs, 2, outputs, 1)
        table, indices = inputs[self.indices_first], inputs[not self.indices_first]
        take(table, indices, self.expanded(table, indices, outputs[0], "out"), self.axis, self.mode)
        return 0


@cython.final
cdef class TakeGrad(_ByIndex):
    """Gradient of `Take` with respect to the table: the sum over the uses of each slice.

    Inputs are the gradient of the slices, an array of the table's shape, whose values are not read,
    and the indices.

    Parameters
    ----------
    axis, mode
        As for `Take`.
    """

    cdef int run(self, list inputs, list outputs) except -1:
        cdef Array grad, like, indices, out
        expect_count(self, inputs, 3, outputs, 1)
        grad, like, indices, out = inputs[0], inputs[1], inputs[2], outputs[0]
        expect_like(self, "out", out, like)
        take_grad(self.expanded(like, indices, grad, "grad"), indices, out, self.axis, self.mode)
        return 0
