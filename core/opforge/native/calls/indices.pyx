"""Conversion of index arrays to int64 within a range.

Indices may have any dtype: in MXNet they are often float32.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

from opforge.native.array.array cimport Array, new_array, wait_read
from opforge.native.loops.casting cimport run_cast
from opforge.native.loops.elementwise cimport BINARY_maximum, BINARY_minimum, run_binary_scalar
from opforge.native.memory.types cimport I64

from opforge.base.errors import AttributeValueError, IndexRangeError, ShapeError
from opforge.base.traps import told as _told, warn_of

__all__ = ["expect_labels"]


cdef set warned = _told                # causes that this process has been warned about


cdef int watch_labels(str function, const int64_t* values, Py_ssize_t n, Py_ssize_t classes) except -1:
    """Warn about the first class label that is not in [0, classes)."""
    cdef Py_ssize_t i
    for i in range(n):
        if not 0 <= values[i] < classes:
            warn_of("labels", function, values[i], classes)
            return 0
    return 0


def expect_labels(str operator, Array label not None, Py_ssize_t classes, ignored=None):
    """Warn, once per process, about class labels that are not in [0, classes).

    Parameters
    ----------
    operator : str
        Name of the operator, for the warning.
    label : Array of any dtype
    classes : int
    ignored : float, optional
        Label that marks entries without a class.
    """
    cdef const int64_t* values
    cdef Py_ssize_t i
    cdef Array integers
    if "labels" in warned:
        return
    wait_read(label)
    integers = new_array(label.shape, I64, label.context)
    values = <const int64_t*>integers.data
    run_cast(label.code, I64, label.data, integers.data, label.size)
    for i in range(label.size):
        if not 0 <= values[i] < classes and (ignored is None or values[i] != ignored):
            warn_of("labels", operator, values[i], classes)
            return


cdef bint are_within(const int64_t* values, Py_ssize_t n, Py_ssize_t length) noexcept nogil:
    """Return whether all values are in [0, length)."""
    cdef Py_ssize_t i
    cdef uint64_t signs = 0            # sign bit: set if a value or its distance from the end was negative
    for i in range(n):                 # without comparisons, which SSE2 lacks for 64 bits
        signs |= <uint64_t>values[i] | (<uint64_t>length - 1 - <uint64_t>values[i])
    return <int64_t>signs >= 0


cdef Array integer_indices(
    str function, Array indices, str mode, Py_ssize_t length, bint labels=False
):
    """Return `indices` as int64 in [0, length), themselves or a copy; with `labels`, warn if one is out of range."""
    cdef Array result
    cdef int64_t* values
    cdef Py_ssize_t i
    if mode not in ("clip", "wrap", "raise"):
        raise AttributeValueError(
            f"{function}: mode {mode!r} is unknown; expected 'clip', 'raise' or 'wrap'"
        )
    if indices.size and length == 0:
        raise ShapeError(f"{function}: cannot index an axis of length 0")
    wait_read(indices)
    if indices.code == I64 and are_within(<const int64_t*>indices.data, indices.size, length):
        return indices
    result = new_array(indices.shape, I64, indices.context)
    values = <int64_t*>result.data
    run_cast(indices.code, I64, indices.data, result.data, indices.size)
    if mode == "clip":
        if labels and "labels" not in warned:
            watch_labels(function, values, indices.size, length)
        run_binary_scalar(BINARY_maximum, I64, values, 0, values, indices.size, False)
        run_binary_scalar(BINARY_minimum, I64, values, length - 1, values, indices.size, False)
    elif mode == "wrap":
        for i in range(indices.size):
            values[i] %= length
            if values[i] < 0:
                values[i] += length
    else:
        for i in range(indices.size):
            if not 0 <= values[i] < length:
                raise IndexRangeError(
                    f"{function}: index {values[i]} at position {i} is not in [0, {length})"
                )
    return result


cdef Array flat_indices(str function, Array indices, tuple shape):
    """Return the flat indices of the slices that the columns of `indices` select."""
    cdef Py_ssize_t n_axes, count, i, j, dim
    cdef Array integers, result
    cdef const int64_t* values
    cdef int64_t* flat
    if indices.ndim == 0 or indices.shape[0] > len(shape):
        raise ShapeError(
            f"{function}: 'indices' has shape {indices.shape}, expected (m, ...) with m <= {len(shape)}"
        )
    n_axes = indices.shape[0]
    integers = new_array(indices.shape, I64, indices.context)
    result = new_array(indices.shape[1:], I64, indices.context)
    wait_read(indices)
    run_cast(indices.code, I64, indices.data, integers.data, indices.size)
    values, flat, count = <const int64_t*>integers.data, <int64_t*>result.data, result.size
    memset(flat, 0, count * sizeof(int64_t))
    for i in range(n_axes):
        dim = shape[i]
        for j in range(count):
            if not -dim <= values[i * count + j] < dim:
                raise IndexRangeError(
                    f"{function}: index {values[i * count + j]} is not in [{-dim}, {dim}) of axis {i}"
                )
            flat[j] = flat[j] * dim + values[i * count + j] + (dim if values[i * count + j] < 0 else 0)
    return result
