"""Index arrays as whole numbers in range.

They may have any dtype, as MXNet's are often float32; they are read as int64.
"""

from libc.stdint cimport int64_t
from libc.string cimport memset

from opforge.native.array.array cimport Array, new_array, wait_read
from opforge.native.loops.casting cimport run_cast
from opforge.native.loops.elementwise cimport BINARY_maximum, BINARY_minimum, run_binary_scalar
from opforge.native.memory.types cimport I64

from opforge.base.errors import AttributeValueError, IndexRangeError, ShapeError
from opforge.base.traps import told as _told, warn_of

__all__ = ["expect_labels"]


cdef set told = _told                  # causes that the process was warned of


cdef int watch_labels(str function, const int64_t* at, Py_ssize_t n, Py_ssize_t classes) except -1:
    """Warn of the first class label that is not in [0, classes)."""
    cdef Py_ssize_t i
    for i in range(n):
        if not 0 <= at[i] < classes:
            warn_of("labels", function, at[i], classes)
            return 0
    return 0


def expect_labels(str operator, Array label not None, Py_ssize_t classes, ignored=None):
    """Warn, once in a process, of class labels that are not in [0, classes).

    Parameters
    ----------
    operator : str
        Which the warning names.
    label : Array of any dtype
    classes : int
    ignored : float, optional
        A label that means none.
    """
    cdef const int64_t* at
    cdef Py_ssize_t i
    cdef Array whole
    if "labels" in told:
        return
    wait_read(label)
    whole = new_array(label.shape, I64, label.context)
    at = <const int64_t*>whole.data
    run_cast(label.code, I64, label.data, whole.data, label.size)
    for i in range(label.size):
        if not 0 <= at[i] < classes and (ignored is None or at[i] != ignored):
            warn_of("labels", operator, at[i], classes)
            return


cdef Array whole_indices(
    str function, Array indices, str mode, Py_ssize_t length, bint labels=False
):
    """Read `indices` as int64 in [0, length); warn of `labels` that are not."""
    cdef Array result = new_array(indices.shape, I64, indices.context)
    cdef int64_t* at = <int64_t*>result.data
    cdef Py_ssize_t i
    if mode not in ("clip", "wrap", "raise"):
        raise AttributeValueError(
            f"{function}: mode {mode!r} is unknown; expected 'clip', 'raise' or 'wrap'"
        )
    if indices.size and length == 0:
        raise ShapeError(f"{function}: cannot index an axis of length 0")
    wait_read(indices)
    run_cast(indices.code, I64, indices.data, result.data, indices.size)
    if mode == "clip":
        if labels and "labels" not in told:
            watch_labels(function, at, indices.size, length)
        run_binary_scalar(BINARY_maximum, I64, at, 0, at, indices.size, False)
        run_binary_scalar(BINARY_minimum, I64, at, length - 1, at, indices.size, False)
    elif mode == "wrap":
        for i in range(indices.size):
            at[i] %= length
            if at[i] < 0:
                at[i] += length
    else:
        for i in range(indices.size):
            if not 0 <= at[i] < length:
                raise IndexRangeError(
                    f"{function}: index {at[i]} at place {i} is not in [0, {length})"
                )
    return result


cdef Array flat_places(str function, Array indices, tuple shape):
    """Offsets, in slices, that the columns of `indices` of shape (m, ...) name in `shape`."""
    cdef Py_ssize_t m, count, i, j, dim
    cdef Array whole, result
    cdef const int64_t* at
    cdef int64_t* place
    if indices.ndim == 0 or indices.shape[0] > len(shape):
        raise ShapeError(
            f"{function}: 'indices' has shape {indices.shape}, expected (m, ...) with m <= {len(shape)}"
        )
    m = indices.shape[0]
    whole = new_array(indices.shape, I64, indices.context)
    result = new_array(indices.shape[1:], I64, indices.context)
    wait_read(indices)
    run_cast(indices.code, I64, indices.data, whole.data, indices.size)
    at, place, count = <const int64_t*>whole.data, <int64_t*>result.data, result.size
    memset(place, 0, count * sizeof(int64_t))
    for i in range(m):
        dim = shape[i]
        for j in range(count):
            if not -dim <= at[i * count + j] < dim:
                raise IndexRangeError(
                    f"{function}: index {at[i * count + j]} is not in [{-dim}, {dim}) of axis {i}"
                )
            place[j] = place[j] * dim + at[i * count + j] + (dim if at[i * count + j] < 0 else 0)
    return result
