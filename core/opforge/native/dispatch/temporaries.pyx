"""Transfer of memory from temporaries, instead of copying their elements.

In ``nd.array(1 / (1 + np.exp(-x)))`` and ``self.assign(out, req, nd.array(...))`` the argument dies
with the call. Reference counts reveal this: every holder of a Python object counts as one, and a call
from Python code adds a fixed number, which `trust_references` measures with a call of the same form.
Where counts are unreliable (see ownership.py), elements are copied.
"""

cimport numpy as cnp
from cpython.object cimport PyObject

from opforge.native.array.device_memory cimport has_host_memory
from opforge.native.array.array cimport (
    Array, bare, is_elsewhere, same_shape, sync_overwrite,
)
from opforge.native.array.copies cimport copy_array
from opforge.native.array.exchange cimport array_from, copy_numpy
from opforge.native.dispatch.tape cimport check_writable, in_graph, is_recording
from opforge.native.memory.buffer cimport FOREIGN, adopt
from opforge.native.memory.numpy_arrays cimport code_of_numpy
from opforge.native.memory.numpy_memory cimport POOLED
from opforge.native.memory.types cimport F32, itemsize_of

from opforge.base.context import current_context as _current_context
from opforge.base.dtypes import code_of as _code_of

cnp.import_array()

cdef extern from *:
    """
    static inline int opforge_has_weakrefs(PyObject* o) {
        Py_ssize_t offset = Py_TYPE(o)->tp_weaklistoffset;
        return offset != 0 && *(PyObject**)((char*)o + offset) != NULL;
    }
    """
    bint has_weakrefs "opforge_has_weakrefs"(PyObject* o)
    Py_ssize_t count_of "Py_REFCNT"(PyObject* o)

cdef enum:
    ALIGNMENT = 64                     # preferred by the kernels
    NEVER = -1

# Reference count of an argument whose only name is the caller's parameter.
cdef Py_ssize_t own_references = NEVER


def references(value, second, third):
    """Return the reference count of `value`; has the same form as the functions that take over memory."""
    return count_of(<PyObject*>value)


def trust_references(count):
    """Set the reference count that allows a transfer; None: never. Return the previous setting."""
    global own_references
    cdef Py_ssize_t former = own_references
    own_references = NEVER if count is None else count
    return None if former == NEVER else former


cdef bint any_large(list arrays):
    cdef Array item
    for item in arrays:
        if item.size * itemsize_of(item.code) >= POOLED:
            return True
    return False


cdef int open_outputs(list arrays, short holders, short sharers) except -1:
    cdef Array item
    for item in arrays:
        if item.size * itemsize_of(item.code) >= POOLED:
            item.holders = holders
            item.sharers = sharers
    return 0


cdef int close_outputs(list arrays, list outs) except -1:
    cdef Py_ssize_t position
    cdef Array item, out
    for position in range(len(arrays)):
        item = arrays[position]
        item.holders = 0
        out = outs[position]
        out.buffer = item.buffer
        out.data = item.data
    return 0


cdef bint is_whole(Array a) noexcept:
    """Return whether `a` covers its whole buffer, which no task or foreign code refers to."""
    return (
        a.data == a.buffer.data
        and a.size * itemsize_of(a.code) == a.buffer.nbytes
        and a.buffer.var == NULL
        and a.buffer.size_class != FOREIGN
        and a.node is None
    )


cdef bint may_take(Array target, Py_ssize_t count) noexcept:
    """Return whether `target`, with `count` references, may receive memory."""
    return (
        target.holders != 0
        and count == own_references + target.holders
        and count_of(<PyObject*>target.buffer) == target.sharers
        and is_whole(target)
        and target.buffer.pins == 0
        and not has_weakrefs(<PyObject*>target)
    )


cdef bint may_give(Array source, Py_ssize_t count) noexcept:
    """Return whether `source`, with `count` references, is a temporary that owns its memory."""
    return (
        count == own_references
        and count_of(<PyObject*>source.buffer) == 1
        and is_whole(source)
        and not has_weakrefs(<PyObject*>source)
    )


cdef bint may_give_numpy(cnp.ndarray source, Py_ssize_t count):
    """Return the same for a NumPy array, whose memory must also suit an Array."""
    return (
        count == own_references
        and cnp.PyArray_NBYTES(source) >= POOLED
        and cnp.PyArray_CHKFLAGS(source, cnp.NPY_ARRAY_OWNDATA)
        and cnp.PyArray_ISCARRAY(source)
        and <size_t>cnp.PyArray_DATA(source) % ALIGNMENT == 0
        and not has_weakrefs(<PyObject*>source)
    )


cdef int take_over(Array target, cnp.ndarray source) except -1:
    """Transfer the memory of `source`, of the same element type, to `target`."""
    target.buffer = adopt(cnp.PyArray_DATA(source), cnp.PyArray_NBYTES(source), source)
    target.data = target.buffer.data
    return 0


def converted(source, context, dtype):
    """Return a new array with the elements of a NumPy array, or None if `source` is not one.

    Must be called from a Python function, with its parameter as `source`.

    Parameters
    ----------
    source : object
        Its memory is taken over if nothing else refers to it.
    context : Context or None
    dtype : optional
        None: float32.
    """
    cdef Py_ssize_t count = count_of(<PyObject*>source)
    cdef int code = F32, given
    cdef Array result
    if not cnp.PyArray_CheckExact(source):
        return None
    given = code_of_numpy(source)
    if given < 0:
        return None
    if dtype is not None:
        code = _code_of(dtype)
    if context is None:
        context = _current_context()
    if given != code or not has_host_memory(context) or not may_give_numpy(source, count):
        return array_from(source, code, context)
    result = bare(source.shape, code, context)
    result.size = cnp.PyArray_SIZE(source)
    take_over(result, source)
    return result


def store(target, req, source):
    """Write `source` into the array `target`, as `CustomOp.assign` does; return False if unsupported.

    Must be called from a Python function, with its parameters as `target` and `source`.

    Parameters
    ----------
    target : object
        Takes over the memory of `source` if nothing else refers to either.
    req : str
        Only ``"write"`` and ``"inplace"`` are supported here.
    source : object
        An array or a NumPy array of the shape of `target`.
    """
    cdef Py_ssize_t target_count = count_of(<PyObject*>target)
    cdef Py_ssize_t source_count = count_of(<PyObject*>source)
    if not isinstance(target, Array) or not (req == "write" or req == "inplace"):
        return False
    if isinstance(source, Array):
        return store_array(target, target_count, source, source_count)
    if cnp.PyArray_CheckExact(source):
        return store_numpy(target, target_count, source, source_count)
    return False


cdef bint store_array(
    Array target, Py_ssize_t target_count, Array source, Py_ssize_t source_count
) except -1:
    if not same_shape(target, source) or (is_recording() and in_graph(source)):
        return False
    check_writable(target)
    if (
        target.code == source.code
        and may_take(target, target_count)
        and may_give(source, source_count)
    ):
        target.buffer = source.buffer
        target.data = source.data
    else:
        copy_array(target, source)
    return True


cdef bint store_numpy(
    Array target, Py_ssize_t target_count, cnp.ndarray source, Py_ssize_t source_count
) except -1:
    cdef int given = code_of_numpy(source)
    if given < 0 or not cnp.PyArray_ISCARRAY_RO(source) or not has_shape(source, target):
        return False
    check_writable(target)
    if (
        target.code == given
        and not is_elsewhere(target)
        and may_take(target, target_count)
        and may_give_numpy(source, source_count)
    ):
        take_over(target, source)
        return True
    sync_overwrite(target)
    copy_numpy(target, source)
    return True


cdef bint has_shape(cnp.ndarray source, Array target) noexcept:
    """Return whether the two have the same shape."""
    cdef int axis
    if cnp.PyArray_NDIM(source) != target.ndim:
        return False
    for axis in range(target.ndim):
        if cnp.PyArray_DIMS(source)[axis] != <Py_ssize_t>target.shape[axis]:
            return False
    return True
