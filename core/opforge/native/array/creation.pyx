"""Creation of arrays of a given shape and element type, for Python code."""

cimport numpy as cnp
from libc.string cimport memset

from opforge.native.array.array cimport Array, is_elsewhere, new_array
from opforge.native.array.copies cimport copy_array
from opforge.native.array.exchange cimport HOST, array_from
from opforge.native.memory.types cimport N_DTYPES, itemsize_of
from opforge.native.threads.spans cimport (
    CALLS, Site, Span, close_span, open_span, site_of, watched,
)

from opforge.base.context import current_context as _current_context

cdef Site ZEROS = site_of("operator", "_zeros")


cdef tuple shape_tuple(object shape):
    """Return `shape` as a tuple of ints; an int means one dimension."""
    if type(shape) is tuple:
        for item in shape:
            if type(item) is not int:
                break
        else:
            return shape
    try:
        return (shape.__index__(),)
    except (AttributeError, TypeError, ValueError):          # arrays of one element have __index__
        pass
    try:
        return tuple([item.__index__() for item in shape])
    except (AttributeError, TypeError, ValueError):
        raise TypeError(f"shape must be an int or a sequence of ints, got {shape!r}") from None


def empty(shape, int code=0, context=None):
    """Return an uninitialised array of `shape` (int or sequence) and type `code`."""
    check_code(code)
    return new_array(shape_tuple(shape), code, _current_context() if context is None else context)


def zeros(shape, int code=0, context=None):
    """Return an array of zeros of `shape` (int or sequence) and type `code`."""
    cdef Array result
    cdef Span span
    cdef bint is_timed = watched & CALLS != 0
    if is_timed:
        open_span(&span, ZEROS)
    try:
        result = empty(shape, code, context)
        set_zero(result)
    finally:
        if is_timed:
            close_span(&span)
    return result


cdef int set_zero(Array target) except -1:
    cdef Array staged = target
    if is_elsewhere(target):
        staged = new_array(target.shape, target.code, HOST)
    memset(staged.data, 0, staged.size * itemsize_of(staged.code))
    if staged is not target:
        copy_array(target, staged)
    return 0


cdef int check_code(int code) except -1:
    if not 0 <= code < N_DTYPES:
        raise TypeError(f"dtype code {code} is unknown; expected 0 to {N_DTYPES - 1}")
    return code


def from_numpy(cnp.ndarray source not None, int code, context=None):
    """Copy a NumPy array of any memory layout, converting its elements to type `code`."""
    check_code(code)
    return array_from(source, code, _current_context() if context is None else context)
