"""Uniform checks of kernel arguments: function, argument, got and expected.

Wrapper modules call these before they touch a pointer, so that no kernel ever sees a wrong shape.
"""

from opforge.native.array.array cimport Array
from opforge.native.memory.types cimport is_float

from opforge.base.dtypes import FLOAT_NAMES as _FLOAT_NAMES, NAMES
from opforge.base.errors import DTypeError, ShapeError

cdef str FLOAT_NAMES = ", ".join(_FLOAT_NAMES)


cdef str dtype_name(int code):
    return NAMES[code]


cdef int expect_shape(str function, str argument, Array a, tuple expected) except -1:
    if a.shape != expected:
        raise ShapeError(f"{function}: {argument!r} has shape {a.shape}, expected {expected}")
    return 0


cdef int expect_ndim(str function, str argument, Array a, int ndim) except -1:
    if a.ndim != ndim:
        raise ShapeError(
            f"{function}: {argument!r} has shape {a.shape}, expected {ndim} dimensions"
        )
    return 0


cdef int expect_code(str function, str argument, Array a, int code) except -1:
    if a.code != code:
        raise DTypeError(
            f"{function}: {argument!r} has dtype {NAMES[a.code]}, expected {NAMES[code]}"
        )
    return 0


cdef int expect_float(str function, str argument, Array a) except -1:
    if not is_float(a.code):
        raise DTypeError(
            f"{function}: {argument!r} has dtype {NAMES[a.code]}, "
            f"expected one of {FLOAT_NAMES}; cast it first"
        )
    return 0


cdef int expect_axis(str function, object axis, int ndim) except -1:
    cdef Py_ssize_t index = axis
    if not -ndim <= index < ndim:
        raise ShapeError(f"{function}: axis {axis} is not in [{-ndim}, {ndim})")
    return <int>(index + ndim if index < 0 else index)


cdef tuple without_axis(tuple shape, int axis):
    return shape[:axis] + shape[axis + 1:]
