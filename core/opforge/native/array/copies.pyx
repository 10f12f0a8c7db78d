"""Copies of elements between arrays, and transfers of memory that avoid them."""

from libc.string cimport memmove

from opforge.native.array.array cimport (
    Array, is_elsewhere, new_array, numpy_view, overlaps, sync_overwrite, sync_read, view,
)
from opforge.native.array.exchange cimport HOST, copy_numpy
from opforge.native.loops.casting cimport copy_elements
from opforge.native.memory.buffer cimport Buffer
from opforge.native.memory.devices cimport copy_bytes
from opforge.native.memory.types cimport itemsize_of
from opforge.native.threads.spans cimport (
    CALLS, GRAPHS, Site, Span, close_span, open_span, site_of, watched,
)

from opforge.base.errors import ShapeError

cdef extern from "Python.h":
    ctypedef struct PyThreadState
    ctypedef struct PyInterpreterState
    Py_ssize_t Py_REFCNT(object)
    PyInterpreterState* PyInterpreterState_Get()
    PyThreadState* PyInterpreterState_ThreadHead(PyInterpreterState* interpreter)
    PyThreadState* PyThreadState_Next(PyThreadState* state)


cdef Site COPY = site_of("operator", "_copyto")


cdef int copy_array(Array target, Array source) except -1:
    cdef Span span
    if not watched & (CALLS | GRAPHS):
        return copied(target, source)
    open_span(&span, COPY)
    try:
        return copied(target, source)
    finally:
        close_span(&span)


cdef int copied(Array target, Array source) except -1:
    if target.size != source.size:
        raise ShapeError(
            f"cannot copy shape {source.shape} into shape {target.shape}: sizes differ"
        )
    sync_read(source)
    sync_overwrite(target)
    target.is_mask = source.is_mask and target.code == source.code
    if target.data == source.data and target.code == source.code:
        return 0
    if is_elsewhere(target) or is_elsewhere(source):
        return transferred(target, source)
    if not overlaps(target, source):
        copy_elements(source.code, target.code, source.data, target.data, target.size)
    elif target.code == source.code:
        memmove(target.data, source.data, target.size * itemsize_of(target.code))
    else:
        copy_numpy(view(target, 0, (target.size,)), numpy_view(view(source, 0, (source.size,))))
    return 0


cdef int transferred(Array target, Array source) except -1:
    """Copy elements from or to another device than the CPU, which converts their type if necessary."""
    cdef Py_ssize_t nbytes = source.size * itemsize_of(source.code)
    cdef Array staged
    if target.code == source.code and not overlaps(target, source):
        return copy_bytes(target.buffer, target.data, source.buffer, source.data, nbytes)
    if is_elsewhere(source):
        staged = new_array(source.shape, source.code, HOST)
        copy_bytes(None, staged.data, source.buffer, source.data, nbytes)
        return copied(target, staged)
    staged = new_array(source.shape, target.code, HOST)
    copied(staged, source)
    return copied(target, staged)


def take_over(Array target, Array source):
    """Make `target`, an array without elements, share the memory of `source`.

    Used for unpickling, where an array exists before its contents are known.
    """
    if target.size:
        raise ShapeError(f"an array of shape {target.shape} already has elements")
    sync_read(source)
    target.node = None
    target.buffer, target.data, target.size = source.buffer, source.data, source.size
    target.shape, target.ndim = source.shape, source.ndim
    target.code, target.context = source.code, source.context


def copy_into(Array target, Array source):
    """Copy the elements of `source` into `target` of the same size, converting the type.

    Raises
    ------
    ShapeError
        The sizes differ.
    """
    copy_array(target, source)


cdef inline bint owns_memory(Array a):
    """Return whether `a` alone uses a whole pool block, and no task uses it."""
    cdef Buffer memory = a.buffer
    return (
        Py_REFCNT(memory) == 2                              # one of `a`, one of this function's variable
        and memory.size_class >= 0
        and memory.pins == 0
        and memory.var == NULL
        and memory.data == a.data
        and memory.nbytes == a.size * itemsize_of(a.code)
    )


cdef inline bint is_only_thread():
    """Return whether no other thread has Python state and could be running a kernel on our memory."""
    cdef PyThreadState* first = PyInterpreterState_ThreadHead(PyInterpreterState_Get())
    return PyThreadState_Next(first) == NULL


cdef bint take_memory(Array target, Array source):
    # A kernel without the GIL refers to its arrays, not their buffers, so the buffers must not change.
    if not is_only_thread():
        return False
    if target.size != source.size or target.code != source.code:
        return False
    if not owns_memory(target) or not owns_memory(source):
        return False
    target.buffer, source.buffer = source.buffer, target.buffer
    target.data, source.data = source.data, target.data
    return True
