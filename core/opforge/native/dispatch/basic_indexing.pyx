"""Fast paths for basic indexing with contiguous results, by views, and for rows at valid indices.

Most indexing uses ints and slices of step 1, so these avoid the plan that other keys need
(ndarray/_indexing.py). Keys not supported here, including invalid ones, are left to that plan.
"""

cimport numpy as cnp
from cpython.contextvars cimport get_value
from cpython.slice cimport PySlice_AdjustIndices, PySlice_Unpack

from opforge.native.array.array cimport (
    Array, expect_host, is_elsewhere, new_array, new_array_of, same_shape, view, wait_read,
)
from opforge.native.array.copies cimport copy_array
from opforge.native.calls.indices cimport are_within
from opforge.native.calls.normalize cimport cast_to
from opforge.native.dispatch.tape cimport check_writable, in_graph, is_recording
from opforge.native.memory.types cimport I32, I64, MAX_NDIM

from opforge.base.numpy_semantics import SHAPE_EVERYWHERE, SHAPE_HERE
from opforge.native.calls.indexing import take
from opforge.native.calls.selection import fill

cnp.import_array()

cdef tuple ONE = (1,), SCALAR = ()
cdef list EVERYWHERE = SHAPE_EVERYWHERE
cdef object HERE = SHAPE_HERE


cdef struct Cut:                       # the part of an array that a key selects
    Py_ssize_t offset                  # of its first element
    Py_ssize_t[MAX_NDIM] dims          # without the axes of ints
    int ndim
    bint is_cut                        # an axis was cut: all axes before it must have length 1


cdef bint cut_axis(Cut* cut, object item, Py_ssize_t size, Py_ssize_t stride) except -1:
    """Apply one item to the next axis from the right; return False if the result is not contiguous."""
    cdef Py_ssize_t start, stop, step, length
    if type(item) is int:
        start = item
        if start < -size or start >= size:
            return False
        start = start + size if start < 0 else start
        length = 1
    elif type(item) is slice:
        PySlice_Unpack(item, &start, &stop, &step)
        if step != 1:
            return False
        length = PySlice_AdjustIndices(size, &start, &stop, step)
        cut.ndim += 1
        cut.dims[MAX_NDIM - cut.ndim] = length
    else:
        return False
    if length == 0 or (length > 1 and cut.is_cut):
        return False
    cut.is_cut = cut.is_cut or length != size
    cut.offset += start * stride
    return True


cdef Array adjacent(Array x, object key):
    """Return the view that `key` selects, or None."""
    cdef Cut cut
    cdef tuple items = <tuple>key if type(key) is tuple else (key,)
    cdef int axis, given = len(items)
    cdef Py_ssize_t stride = 1, size
    if not 0 < given <= x.ndim or x.size == 0:
        return None
    cut.offset, cut.ndim, cut.is_cut = 0, 0, False
    for axis in range(x.ndim - 1, -1, -1):
        size = x.shape[axis]
        if axis >= given:
            cut.ndim += 1
            cut.dims[MAX_NDIM - cut.ndim] = size
        else:
            try:
                if not cut_axis(&cut, items[axis], size, stride):
                    return None
            except (OverflowError, TypeError):
                return None
        stride *= size
    if cut.ndim == 0:
        # `is_np_shape`, without a Python frame: programs read elements in loops.
        return view(x, cut.offset, SCALAR if EVERYWHERE[0] or get_value(HERE) else ONE)
    return view(x, cut.offset, tuple([cut.dims[MAX_NDIM - cut.ndim + axis] for axis in range(cut.ndim)]))


def read_adjacent(Array x not None, key):
    """Return the elements that a basic `key` selects as a view, or None if it is not supported here.

    A key that selects all of `x` returns `x` itself, as ``x[:]`` does. Recorded reads are not
    supported here.

    Parameters
    ----------
    x : Array
    key : object
        Supported: an int, a slice of step 1, and tuples of these that select contiguous elements.
    """
    if is_recording() and in_graph(x):
        return None
    if type(key) is slice and key.start is None and key.stop is None and key.step is None:
        return x
    return adjacent(x, key)


def write_adjacent(Array x not None, key, value):
    """Assign a number or an array of equal shape to `x[key]`; return False if not supported here.

    Parameters
    ----------
    x : Array
    key : object
        As for `read_adjacent`.
    value : object
        Supported: int, float, and an array with the shape of the selection.
    """
    cdef Array target
    check_writable(x)
    x.is_mask = False                                       # whatever the value
    if type(key) is slice and key.start is None and key.stop is None and key.step is None:
        target = x
    else:
        target = adjacent(x, key)
        if target is None:
            return False
    if type(value) is float or type(value) is int:
        fill(target, value)
        return True
    if (
        not isinstance(value, Array)
        or not same_shape(target, value)
        or (is_recording() and in_graph(<Array>value))
    ):
        return False
    copy_array(target, value)
    return True


def read_rows(Array x not None, Array key not None):
    """Return copies of the rows of `x` at the indices in `key`, or None if it is not supported here.

    Recorded reads are not supported here.

    Parameters
    ----------
    x : Array
    key : Array
        Supported: an array with axes of int32 or int64 in [0, length of the first axis).
    """
    cdef Array positions, rows
    if x.ndim == 0 or key.ndim == 0 or is_elsewhere(x) or (is_recording() and in_graph(x)):
        return None
    if key.is_mask:
        return None                                         # read as indices with a warning
    if key.code == I32 and not is_elsewhere(key):
        positions = cast_to(key, I64)
    else:
        positions = key
    if not are_positions(positions, x.shape[0]):
        return None
    rows = new_array_of(type(x), key.shape + x.shape[1:], x.code, x.context)
    if rows.size:
        take(x, positions, rows)
    return rows


def are_positions(Array indices not None, Py_ssize_t rows):
    """Return whether `indices` are int64 in [0, rows), so that `row_positions` would copy them unchanged.

    Parameters
    ----------
    indices : Array
    rows : int
    """
    if indices.code != I64 or is_elsewhere(indices):
        return False
    wait_read(indices)
    return are_within(<const cnp.int64_t*>indices.data, indices.size, rows)


def row_positions(cnp.ndarray indices not None, Py_ssize_t rows, context):
    """Return `indices` as an int64 array, with negative ones counted from the end.

    Parameters
    ----------
    indices : numpy.ndarray of int64, C-contiguous
    rows : int
        Length of the indexed axis.
    context : Context

    Raises
    ------
    IndexError
        An index is out of bounds.
    """
    cdef Array result = new_array((<object>indices).shape, I64, context)
    expect_host(result)
    cdef const cnp.int64_t* given = <const cnp.int64_t*>cnp.PyArray_DATA(indices)
    cdef cnp.int64_t* positions = <cnp.int64_t*>result.data
    cdef Py_ssize_t i
    cdef bint is_outside = False
    for i in range(result.size):                            # without branches: vectorized
        positions[i] = given[i] + (rows & (given[i] >> 63))
        is_outside |= (<size_t>positions[i]) >= <size_t>rows
    if is_outside:
        for i in range(result.size):
            if given[i] < -rows or given[i] >= rows:
                raise IndexError(f"index {given[i]} is out of bounds for axis 0 with size {rows}")
    return result
