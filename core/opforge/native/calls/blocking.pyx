"""Computations between an array and the same with an axis divided into blocks of lanes.

Elements are moved by their size, so every type goes.
"""

cimport cython

from opforge.native.array.array cimport Array
from opforge.native.calls.computation cimport Computation, expect_count
from opforge.native.loops.strided cimport Walk, strided_copy, walk_push, walk_start
from opforge.native.memory.types cimport itemsize_of

from opforge.base import dtypes as _dtypes
from opforge.base.errors import AttributeValueError, DTypeError, ShapeError

__all__ = ["Block", "Unblock"]

cdef enum:
    INLINE = 16384                     # below this many elements the GIL is kept

cdef tuple NAMES = _dtypes.NAMES


cdef class _Blocking(Computation):
    """What both directions share: the axis, and the check of both arrays."""

    cdef readonly int axis

    def __init__(self, int axis):
        if axis < 0:
            raise AttributeValueError(f"{self!r}: axis is {axis}, expected 0 or more")
        self.axis = axis

    cdef int move(self, Array plain, Array blocked, Array x, Array out) except -1:
        """Copy between the two, one of which is `x` and the other `out`."""
        cdef Py_ssize_t groups, inner = 1, outer = 1, lanes
        cdef int i, itemsize = <int>itemsize_of(x.code)
        cdef Walk walk
        if x.code != out.code:
            raise DTypeError(f"{self!r}: 'out' has dtype {NAMES[out.code]}, expected {NAMES[x.code]}")
        if blocked.ndim != plain.ndim + 1 or self.axis >= plain.ndim:
            raise ShapeError(
                f"{self!r}: shapes {plain.shape} and {blocked.shape} differ by no axis of lanes"
            )
        lanes, groups = blocked.shape[plain.ndim], blocked.shape[self.axis]
        expected = (*plain.shape[:self.axis], groups, *plain.shape[self.axis + 1:], lanes)
        if blocked.shape != expected or plain.shape[self.axis] != groups * lanes:
            raise ShapeError(
                f"{self!r}: {plain.shape} with axis {self.axis} in {groups} groups of {lanes} lanes "
                f"is not {blocked.shape}"
            )
        if x.size == 0:
            return 0
        for i in range(self.axis):
            outer *= <Py_ssize_t>plain.shape[i]
        for i in range(self.axis + 1, plain.ndim):
            inner *= <Py_ssize_t>plain.shape[i]
        walk_start(&walk)
        walk_push(&walk, outer * groups, lanes * inner, lanes * inner)
        if out is blocked:
            walk_push(&walk, inner, 1, lanes)
            walk_push(&walk, lanes, inner, 1)
        else:
            walk_push(&walk, lanes, 1, inner)
            walk_push(&walk, inner, lanes, 1)
        if x.size < INLINE:
            strided_copy(x.data, out.data, itemsize, &walk)
        else:
            with nogil:
                strided_copy(x.data, out.data, itemsize, &walk)
        return 0


@cython.final
cdef class Block(_Blocking):
    """Divide an axis into groups of lanes, which stand last: (n, C, h, w) to (n, C/l, h, w, l).

    Parameters
    ----------
    axis : int
        Counted from the front.
    """

    cdef int run(self, list inputs, list outputs) except -1:
        expect_count(self, inputs, 1, outputs, 1)
        return self.move(inputs[0], outputs[0], inputs[0], outputs[0])


@cython.final
cdef class Unblock(_Blocking):
    """Join the lanes, which stand last, with the groups of an axis: the inverse of `Block`.

    Parameters
    ----------
    axis : int
        Counted from the front.
    """

    cdef int run(self, list inputs, list outputs) except -1:
        expect_count(self, inputs, 1, outputs, 1)
        return self.move(outputs[0], inputs[0], inputs[0], outputs[0])
