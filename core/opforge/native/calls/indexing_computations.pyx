"""Computations that copy slices of a table by index, and that add them where they came from."""

cimport cython

from opforge.native.array.array cimport Array, view
from opforge.native.calls.computation cimport Computation, expect_count, expect_like

from opforge.base.errors import ShapeError
from opforge.native.calls.indexing import take, take_grad

__all__ = ["Take", "TakeGrad"]


cdef class _ByIndex(Computation):
    """The attributes of both."""

    cdef readonly int axis
    cdef readonly str mode

    def __init__(self, int axis=0, str mode not None="clip"):
        self.axis, self.mode = axis, mode

    cdef Array expanded(self, Array table, Array indices, Array slices, str name):
        """Slices as the kernels want them: with the axes of the indices in place of that of the table."""
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
    """The slices of a table that an array of indices names.

    Inputs are table and indices, of any type.

    Parameters
    ----------
    axis : int
        Of the table.
    mode : {"clip", "wrap", "raise"}
        What becomes of an index out of range: the nearest one, its remainder, an IndexRangeError.
    indices_first : bool
        The inputs come the other way round.
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
    """Gradient of `Take` by the table: the sum of what was taken from each of its slices.

    Inputs are the gradient of the slices, an array of the table's shape, of which nothing else is
    read, and indices.

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
