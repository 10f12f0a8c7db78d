"""Computations that divide an axis into blocks of lanes, and that join them again.

Elements are copied by size, so every element type is supported.
"""

cimport cython

from opforge.native.array.array cimport Array
from opforge.native.calls.computation cimport Computation, expect_count
from opforge.native.calls.extents cimport Extents, split_shape
from opforge.native.loops.strided cimport Walk, strided_copy, walk_push, walk_start
from opforge.native.memory.types cimport itemsize_of

from opforge.base import dtypes as _dtypes
from opforge.base.errors import AttributeValueError, DTypeError, ShapeError

__all__ = ["Block", "Unblock"]

cdef enum:
    INLINE = 16384                     # elements; smaller arrays are copied without releasing the GIL

cdef tuple NAMES = _dtypes.NAMES


cdef class _Blocking(Computation):
    """Base class of `Block` and `Unblock`: the axis, the checks and the copy."""

    cdef readonly int axis

    def __init__(self, int axis):
        if axis < 0:
            raise AttributeValueError(f"{self!r}: axis is {axis}, expected 0 or more")
        self.axis = axis

    cdef int move(self, list inputs, list outputs, bint divides) except -1:
        """Copy the input to the output, which is the blocked one if `divides`."""
        cdef Array x, out, plain, blocked
        cdef Py_ssize_t groups, lanes
        cdef int itemsize
        cdef Extents e
        cdef Walk walk
        expect_count(self, inputs, 1, outputs, 1)
        x, out = inputs[0], outputs[0]
        plain, blocked = (x, out) if divides else (out, x)
        itemsize = <int>itemsize_of(x.code)
        if x.code != out.code:
            raise DTypeError(f"{self!r}: 'out' has dtype {NAMES[out.code]}, expected {NAMES[x.code]}")
        if blocked.ndim != plain.ndim + 1 or self.axis >= plain.ndim:
            raise ShapeError(
                f"{self!r}: got shapes {plain.shape} and {blocked.shape}; expected the blocked array to "
                f"have one more axis, the lanes, and axis {self.axis} to exist"
            )
        lanes, groups = blocked.shape[plain.ndim], blocked.shape[self.axis]
        expected = (*plain.shape[:self.axis], groups, *plain.shape[self.axis + 1:], lanes)
        if blocked.shape != expected or plain.shape[self.axis] != groups * lanes:
            raise ShapeError(
                f"{self!r}: shape {plain.shape} with axis {self.axis} divided into {groups} groups of "
                f"{lanes} lanes does not match the blocked shape {blocked.shape}"
            )
        if x.size == 0:
            return 0
        split_shape(plain.shape, self.axis, &e)
        walk_start(&walk)
        walk_push(&walk, e.outer * groups, lanes * e.inner, lanes * e.inner)
        if divides:
            walk_push(&walk, e.inner, 1, lanes)
            walk_push(&walk, lanes, e.inner, 1)
        else:
            walk_push(&walk, lanes, 1, e.inner)
            walk_push(&walk, e.inner, lanes, 1)
        if x.size < INLINE:
            strided_copy(x.data, out.data, itemsize, &walk)
        else:
            with nogil:
                strided_copy(x.data, out.data, itemsize, &walk)
        return 0


@cython.final
cdef class Block(_Blocking):
    """Divide an axis into groups of lanes: (n, C, h, w) becomes (n, C/l, h, w, l).

    Parameters
    ----------
    axis : int
        The axis to divide, not negative. The lanes become the last axis.
    """

    cdef int run(self, list inputs, list outputs) except -1:
        return self.move(inputs, outputs, True)


@cython.final
cdef class Unblock(_Blocking):
    """Merge the lanes of the last axis into the groups of an axis: the inverse of `Block`.

    Parameters
    ----------
    axis : int
        As for `Block`.
    """

    cdef int run(self, list inputs, list outputs) except -1:
        return self.move(inputs, outputs, False)
