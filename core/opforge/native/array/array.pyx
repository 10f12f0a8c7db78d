"""Array, the native base class of NDArray.

C-contiguous memory with shape, element type and context. This module creates arrays and views and
exports them to NumPy, the buffer protocol and DLPack; higher layers add operators.
"""

cimport numpy as cnp
from cpython.object cimport PyTypeObject, Py_TYPE
from cpython.buffer cimport PyBUF_FORMAT, PyBUF_ND, PyBUF_STRIDES
from cpython.mem cimport PyMem_Free, PyMem_Malloc

from opforge.native.array.dlpack cimport DLPACK_BFLOAT, DLPACK_UINT, change_type
from opforge.native.loops.casting cimport copy_elements
from opforge.native.array.device_memory cimport new_buffer
from opforge.native.memory.buffer cimport FOREIGN, FOREVER
from opforge.native.memory.devices cimport copy_bytes, synchronize
from opforge.native.memory.numpy_arrays cimport new_numpy, numpy_on
from opforge.native.memory.types cimport BF16, F32, MAX_NDIM, N_DTYPES, itemsize_of
from opforge.native.threads cimport engine

import numpy as np

from opforge.base import dtypes as _dtypes
from opforge.base.context import current_context as _current_context
from opforge.base.errors import HostAccessError, OutOfMemoryError, ShapeError

cnp.import_array()

cdef tuple EMPTY = ()
cdef list CLASSES = _dtypes.CLASSES
cdef (char*)[N_DTYPES] FORMATS = [b"f", b"d", b"e", b"B", b"i", b"b", b"q", b"?", NULL]

cdef extern from "opforge_closed.h":
    void opforge_close_class(object cls, object (*new_empty)())
    object opforge_new(object cls, object args)


cdef Py_ssize_t size_of(tuple shape) except -1:
    cdef Py_ssize_t size = 1, dim
    cdef bint empty = False
    if len(shape) > MAX_NDIM:
        raise ShapeError(f"an array has at most {MAX_NDIM} dimensions, got {len(shape)}")
    for item in shape:
        try:
            dim = item
        except OverflowError:
            raise OutOfMemoryError(f"shape {shape} has too many elements") from None
        if dim < 0:
            raise ShapeError(f"shape {shape} has a negative dimension")
        if dim == 0:
            empty = True
        elif size > (<Py_ssize_t>1 << 46) // dim:
            raise OutOfMemoryError(f"shape {shape} has too many elements")
        else:
            size *= dim
    return 0 if empty else size


cdef int dims_of(Array a, Py_ssize_t* dims) except -1:
    cdef int axis
    for axis in range(a.ndim):
        dims[axis] = a.shape[axis]
    return a.ndim


cdef bint overlaps(Array a, Array b) noexcept:
    # By address: two buffers may wrap the same foreign memory.
    return (
        a.data < b.data + b.size * itemsize_of(b.code)
        and b.data < a.data + a.size * itemsize_of(a.code)
    )


cdef bint same_shape(Array a, Array b):
    return a.shape is b.shape or a.shape == b.shape


cdef bint is_elsewhere(Array a) noexcept:
    return a.buffer.memory != NULL


cdef int expect_host(Array a) except -1:
    if a.buffer.memory != NULL:
        raise HostAccessError(
            f"an array of shape {a.shape} is on {a.context}, whose memory the CPU cannot access: copy it "
            "with as_in_context(cpu()) first",
            a.context,
        )
    return 0


cdef int sync_read(Array a) except -1:
    if a.buffer.var != NULL:
        engine.wait_for_read(a.buffer.var)
    return 0


cdef int sync_write(Array a) except -1:
    if a.buffer.var != NULL:
        engine.wait_for_write(a.buffer.var)
    a.buffer.seal = 0
    return 0


cdef int sync_overwrite(Array a) except -1:
    if a.buffer.var != NULL:
        if a.data == a.buffer.data and a.size * itemsize_of(a.code) == a.buffer.nbytes:
            engine.wait_for_overwrite(a.buffer.var)
        else:
            engine.wait_for_write(a.buffer.var)
    a.buffer.seal = 0
    return 0


cdef int wait_read(Array a) except -1:
    expect_host(a)
    return sync_read(a)


cdef int wait_write(Array a) except -1:
    expect_host(a)
    return sync_write(a)


cdef int wait_overwrite(Array a) except -1:
    expect_host(a)
    return sync_overwrite(a)


cdef uint64_t last_seal = 0


cdef uint64_t seal(Array a) noexcept:
    return 0 if a.buffer.size_class == FOREIGN or a.buffer.pins else stamped(a.buffer)


def write_stamp(Array a not None):
    """Return a number that identifies the contents of `a` until the next write through an array.

    Two equal numbers mean that nothing was written in between. Writes by another library to memory
    that it shared go unnoticed; while other code holds a view of this array, the number is 0.

    Parameters
    ----------
    a : NDArray

    Returns
    -------
    int

    Examples
    --------
    >>> from opforge import nd
    >>> array = nd.zeros(2)
    >>> before = write_stamp(array)
    >>> write_stamp(array) == before
    True
    >>> array += 1
    >>> write_stamp(array) == before
    False
    """
    return 0 if a.buffer.pins else stamped(a.buffer)


cdef uint64_t stamped(Buffer buffer) noexcept:
    global last_seal
    if buffer.seal == 0:
        last_seal += 1
        buffer.seal = last_seal
    return buffer.seal


cdef Array bare(tuple shape, int code, object context):
    """Return an array object without memory."""
    return bare_of(array_class, shape, code, context)


cdef Array bare_of(object cls, tuple shape, int code, object context):
    cdef Array result = <Array>opforge_new(cls, EMPTY)
    result.shape = shape
    result.ndim = len(shape)
    result.code = code
    result.context = context
    return result


cdef Array new_array(tuple shape, int code, object context):
    return new_array_of(array_class, shape, code, context)


cdef Array new_array_of(object cls, tuple shape, int code, object context):
    cdef Py_ssize_t size = size_of(shape)
    cdef Buffer buffer = new_buffer(size * itemsize_of(code), context)
    cdef Array result = bare_of(cls, shape, code, context)
    result.buffer = buffer
    result.data = buffer.data
    result.size = size
    return result


cdef Array view(Array base, Py_ssize_t offset, tuple shape):
    cdef Py_ssize_t size = size_of(shape)
    if offset < 0 or size > base.size - offset:
        raise ShapeError(
            f"a view of shape {shape} at element {offset} does not fit an array of {base.size}"
        )
    cdef Array result = bare_of(type(base), shape, base.code, base.context)
    result.buffer = base.buffer
    result.data = base.data + offset * itemsize_of(base.code)
    result.size = size
    result.is_mask = base.is_mask
    return result


cdef Array alias(Array base):
    cdef Array result = bare(base.shape, base.code, base.context)
    result.buffer = base.buffer
    result.data = base.data
    result.size = base.size
    result.is_mask = base.is_mask
    return result


cdef bint is_plain(Array a) noexcept:
    return Py_TYPE(a) == <PyTypeObject*>array_class


cdef Array recast(Array a, object cls):
    cdef Array result = bare_of(cls, a.shape, a.code, a.context)
    result.buffer, result.data, result.size = a.buffer, a.data, a.size
    result.is_mask = a.is_mask
    result.node, result.index = a.node, a.index
    return result


cdef Array plain(Array a):
    return a if is_plain(a) else recast(a, array_class)


cdef int take_class(Array a, Array like) except -1:
    if Py_TYPE(a) != Py_TYPE(like):
        (<object>a).__class__ = type(like)
    return 0


def as_class(Array a not None, cls):
    """Return an array of another class with the memory, the shape and the gradient history of `a`.

    Parameters
    ----------
    a : NDArray
    cls : type
        NDArray or a subclass without further slots.

    Returns
    -------
    NDArray
        `a` itself if it has the class.
    """
    if type(a) is cls:
        return a
    if not issubclass(cls, array_class):
        raise TypeError(f"{cls!r} does not derive from {array_class!r}")
    return recast(a, cls)


cdef class Array:
    """Storage of an NDArray: shape, element type, context and C-contiguous memory.

    Instances come from the creation functions of `opforge.nd`, never from this class.
    """

    __array_priority__ = 1000.0          # NumPy's operators defer to ours in mixed expressions

    @property
    def dtype(self):
        """Element type as a NumPy scalar class, such as ``numpy.float32``."""
        found = CLASSES[self.code]
        return _dtypes.dtype_of(self.code) if found is None else found

    @property
    def dtype_code(self):
        """Code of the element type, an index of the table `opforge.base.dtypes.TYPES`."""
        return self.code

    @property
    def size(self):
        """Number of elements."""
        return self.size

    @property
    def ndim(self):
        """Number of dimensions."""
        return self.ndim

    @property
    def nbytes(self):
        """Size of the elements in bytes."""
        return self.size * itemsize_of(self.code)

    @property
    def ctx(self):
        """Device that holds the array; an alias of `context`."""
        return self.context

    @property
    def handle(self):
        """Address of the first element, as an int; valid while the array is alive."""
        self.buffer.pins |= FOREVER
        return <size_t>self.data

    def _view(self, Py_ssize_t offset, tuple shape):
        """Return an array of `shape` over the memory from element `offset` on; not recorded."""
        return view(self, offset, shape)

    def _shares_memory(self, Array other):
        """Return whether the two arrays share any bytes."""
        return overlaps(self, other)

    def wait_to_read(self):
        """Block until every task that writes this array is done; raise the exception of a failed one."""
        sync_read(self)
        synchronize(self.buffer)

    def wait_to_write(self):
        """Block until every task that reads or writes this array is done."""
        sync_write(self)
        synchronize(self.buffer)

    def asnumpy(self):
        """Copy the elements into a new NumPy array.

        Returns
        -------
        numpy.ndarray
            Same shape and dtype; writable, shares nothing with this array.

        Examples
        --------
        >>> import opforge
        >>> opforge.nd.array([1, 2]).asnumpy().tolist()
        [1.0, 2.0]
        """
        sync_read(self)
        return numpy_copy(self)

    def asscalar(self):
        """Return the only element as a NumPy scalar.

        Raises
        ------
        ValueError
            The array does not have exactly one element.
        """
        if self.size != 1:
            raise ValueError(f"The current array is not a scalar: it has shape {self.shape}")
        sync_read(self)
        cdef cnp.ndarray element
        if is_elsewhere(self):
            element = numpy_copy(view(self, 0, EMPTY))
            return cnp.PyArray_ToScalar(cnp.PyArray_DATA(element), element)
        return cnp.PyArray_ToScalar(self.data, numpy_view(view(self, 0, EMPTY)))

    def item(self):
        """Return the only element as a Python number."""
        return self.asscalar().item()

    def __bytes__(self):
        sync_read(self)
        return (numpy_copy(self) if is_elsewhere(self) else numpy_view(self)).tobytes()

    def __array__(self, dtype=None, copy=None):
        if is_elsewhere(self) and copy is not False:
            return np.asarray(self.asnumpy(), dtype=dtype)
        wait_read(self)
        cdef object result = numpy_view(self)
        self.buffer.pins |= FOREVER
        if copy:
            return np.array(result, dtype=dtype, copy=True)
        if dtype is None or np.dtype(dtype) == result.dtype:
            return result
        if copy is False:
            raise ValueError(f"a {result.dtype} NDArray cannot become {dtype} without a copy")
        return result.astype(dtype)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if stream is not None and not is_elsewhere(self):
            raise BufferError(f"an array on {self.context} has no streams, got stream={stream!r}; pass None")
        wait_read(self)
        self.buffer.pins |= FOREVER
        if self.code != BF16:
            return numpy_view(self).__dlpack__(max_version=max_version, dl_device=dl_device, copy=copy)
        words = numpy_view(self).view("uint16")            # NumPy cannot export bfloat16
        capsule = words.__dlpack__(max_version=max_version, dl_device=dl_device, copy=copy)
        change_type(capsule, DLPACK_UINT, DLPACK_BFLOAT)
        return capsule

    def __dlpack_device__(self):
        if is_elsewhere(self):
            return self.buffer.memory.device_type, self.buffer.device_id
        return 1, 0

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        cdef int axis
        cdef Py_ssize_t stride = itemsize_of(self.code)
        cdef Py_ssize_t* layout
        if not flags & (PyBUF_FORMAT | PyBUF_ND):
            # Readers that ask for bytes alone may take them for another type, as torch.asarray does.
            raise BufferError(
                f"the reader asked for bytes, but this is an array of {_dtypes.NAMES[self.code]}; "
                "pass memoryview(x), x.asnumpy() or, in PyTorch, torch.from_dlpack(x)"
            )
        if flags & PyBUF_FORMAT and FORMATS[self.code] == NULL:
            raise BufferError(
                f"the buffer protocol has no format for {_dtypes.NAMES[self.code]}; use asnumpy() or DLPack"
            )
        wait_read(self)
        layout = <Py_ssize_t*>PyMem_Malloc((2 * self.ndim + 1) * sizeof(Py_ssize_t))
        if layout == NULL:
            raise OutOfMemoryError(f"no memory for the layout of {self.ndim} dimensions")
        dims_of(self, layout)
        self.buffer.pins += 1
        for axis in range(self.ndim - 1, -1, -1):
            layout[self.ndim + axis] = stride
            stride *= layout[axis]
        buffer.buf = self.data
        buffer.obj = self
        buffer.len = self.size * itemsize_of(self.code)
        buffer.itemsize = itemsize_of(self.code)
        buffer.readonly = 0
        # Without a shape, readers detect several dimensions by a NULL.
        buffer.ndim = self.ndim if flags & PyBUF_ND else min(self.ndim, 1)
        buffer.format = FORMATS[self.code] if flags & PyBUF_FORMAT else NULL
        buffer.shape = layout if flags & PyBUF_ND else NULL
        buffer.strides = layout + self.ndim if (flags & PyBUF_STRIDES) == PyBUF_STRIDES else NULL
        buffer.suboffsets = NULL
        buffer.internal = layout

    def __releasebuffer__(self, Py_buffer* buffer):
        self.buffer.pins -= 1
        self.buffer.seal = 0                               # the view's holder may have written
        PyMem_Free(buffer.internal)


cdef object new_empty():
    """Return an array without elements, for `take_over` to fill."""
    return new_array((0,), F32, _current_context())


opforge_close_class(Array, new_empty)
cdef object array_class = Array


def is_mask(Array a not None):
    """Return whether `a` is the result of a comparison or logical operation, or a copy or part of one."""
    return a.is_mask


def set_array_class(cls):
    """Set the class, a subclass of `Array`, of all arrays that native code creates."""
    global array_class
    if not issubclass(cls, Array):
        raise TypeError(f"{cls!r} does not derive from Array")
    array_class = cls


cdef cnp.ndarray numpy_view(Array a):
    cdef Py_ssize_t[MAX_NDIM] dims
    expect_host(a)
    dims_of(a, dims)
    return numpy_on(a.buffer, a.data, a.code, a.ndim, dims)


cdef cnp.ndarray numpy_copy(Array a):
    cdef Py_ssize_t[MAX_NDIM] dims
    cdef cnp.ndarray result
    dims_of(a, dims)
    cdef Py_ssize_t nbytes = a.size * itemsize_of(a.code)
    try:
        result = new_numpy(a.code, a.ndim, dims, nbytes)
    except MemoryError as error:       # NumPy's MemoryError is not an MXNetError
        raise OutOfMemoryError(f"asnumpy: cannot allocate {nbytes} bytes: {error}") from error
    if is_elsewhere(a):
        copy_bytes(None, cnp.PyArray_BYTES(result), a.buffer, a.data, nbytes)
    else:
        copy_elements(a.code, a.code, a.data, cnp.PyArray_BYTES(result), a.size)
    return result
