"""Computations that call the forward and backward functions of plugins, without the GIL.

Shapes and types are compared with what inference says before a function sees an array, however the
computation was reached; what the last call had needs no second look.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from opforge.abi cimport OPFORGE_UNKNOWN, opforge_tensor

from opforge.native.abi.host cimport Frame, close_frame
from opforge.native.abi.instance cimport ForeignInstance, raise_status
from opforge.native.array.array cimport Array
from opforge.native.calls.computation cimport Computation, expect_count
from opforge.native.memory.types cimport itemsize_of

from opforge.base import dtypes as _dtypes
from opforge.base.errors import DTypeError, PluginError, ShapeError

__all__ = ["ForeignBackward", "ForeignForward"]

cdef tuple NAMES = _dtypes.NAMES

cdef enum:
    SMALL = 128                        # words on the stack: views of some four arrays

cdef struct Views:                     # of the arrays of one call
    opforge_tensor* tensors
    int64_t* dims                      # room for further shapes and strides
    int64_t* heap                      # NULL where `small` was enough
    int64_t[SMALL] small


cdef int open_views(Views* views, Py_ssize_t n_tensors, list inputs, list outputs) except -1:
    """Make room for the views of arrays, of which `n_tensors` is at least the number."""
    cdef Py_ssize_t words = n_tensors * <Py_ssize_t>(sizeof(opforge_tensor) // sizeof(int64_t))
    cdef Array item
    cdef int64_t* room = views.small
    cdef Py_ssize_t first = words
    for item in inputs:
        words += 2 * item.ndim
    for item in outputs:
        words += 2 * item.ndim
    views.heap = NULL
    if words > SMALL:
        room = views.heap = <int64_t*>malloc(words * sizeof(int64_t))
        if room == NULL:
            raise MemoryError("no memory for the views of a native operator's arrays")
    views.tensors = <opforge_tensor*>room
    views.dims = room + first
    return 0


cdef int set_views(Views* views, opforge_tensor* tensors, list arrays, Py_ssize_t begin, Py_ssize_t end) except -1:
    """Fill the views of some arrays."""
    cdef Py_ssize_t position, axis, stride
    cdef opforge_tensor* tensor = tensors
    cdef int64_t* strides
    cdef Array item
    for position in range(begin, end):
        item = <Array>arrays[position]
        stride = itemsize_of(item.code)
        tensor.data = item.data
        tensor.byte_size = item.size * stride
        tensor.ndim = item.ndim
        tensor.dtype = item.code
        tensor.shape = views.dims
        strides = views.dims + item.ndim
        tensor.strides = strides
        for axis in range(item.ndim - 1, -1, -1):
            tensor.shape[axis] = <Py_ssize_t>item.shape[axis]
            strides[axis] = stride
            stride *= tensor.shape[axis]
        views.dims += 2 * item.ndim
        tensor += 1
    return 0


cdef void set_unknown(opforge_tensor* tensors, Py_ssize_t count) noexcept:
    """Fill the views of arrays that the function does not get."""
    cdef Py_ssize_t position
    for position in range(count):
        tensors[position].data = NULL
        tensors[position].byte_size = 0
        tensors[position].shape = NULL
        tensors[position].strides = NULL
        tensors[position].ndim = tensors[position].dtype = OPFORGE_UNKNOWN


cdef class _Foreign(Computation):
    """What both have: the operator, the numbers of arrays, and what inference says of them."""

    cdef ForeignInstance instance
    cdef readonly bint draws_random    # equal inputs do not give equal results
    cdef object infer                  # callable(shapes, codes) -> (output shapes, output codes)
    cdef int n_inputs, n_outputs       # of the operator
    cdef tuple known                   # (shapes, codes) of the last call's arrays

    def __init__(self, ForeignInstance instance not None, int n_inputs, int n_outputs, infer):
        if not instance.created:
            raise PluginError("a native operator's instance is not made")
        self.instance = instance
        self.draws_random = instance.operator.draws_random
        self.n_inputs, self.n_outputs = n_inputs, n_outputs
        self.infer = infer

    def __repr__(self):
        return f"{self.instance.operator!r}" if self.instance is not None else "<native operator>"

    cdef int expect_types(self, list inputs, list outputs) except -1:
        """Refuse arrays that are not what inference says."""
        cdef Array item
        cdef Py_ssize_t position
        if self.fits(inputs, outputs):
            return 0
        shapes = [item.shape for item in inputs]
        codes = [item.dtype_code for item in inputs]
        out_shapes, out_codes = self.infer(shapes, codes)
        for position, item in enumerate(outputs):
            if item.shape != tuple(out_shapes[position]):
                raise ShapeError(
                    f"{self!r}: output {position} has shape {item.shape}, expected "
                    f"{tuple(out_shapes[position])}"
                )
            if item.code != <int>out_codes[position]:
                raise DTypeError(
                    f"{self!r}: output {position} has dtype {NAMES[item.code]}, expected "
                    f"{NAMES[out_codes[position]]}"
                )
        self.known = (
            [*shapes, *[item.shape for item in outputs]], [*codes, *out_codes]
        )
        return 0

    cdef bint fits(self, list inputs, list outputs) except -1:
        """Have these arrays the shapes and types of the last call's?"""
        cdef tuple known = self.known
        cdef Py_ssize_t position, count = len(inputs)
        cdef Array item
        cdef object shape
        if known is None or len(<list>known[0]) != count + len(outputs):
            return False
        for position in range(count + len(outputs)):
            item = <Array>inputs[position] if position < count else <Array>outputs[position - count]
            shape = (<list>known[0])[position]
            if item.shape is not shape and item.shape != shape:
                return False
            if item.code != <int>(<list>known[1])[position]:
                return False
        return True


cdef int finish(_Foreign c, Views* views, Frame* frame, int32_t status) except -1:
    """Free what the call had, and raise what it reports."""
    free(views.heap)
    if status:
        raise_status(c.instance.operator, status, frame)
    return 0


@cython.final
cdef class ForeignForward(_Foreign):
    """The forward function of a native operator.

    Parameters
    ----------
    instance : ForeignInstance
    n_inputs, n_outputs : int
    infer : callable
        From the shapes and type codes of the inputs to those of the outputs, checked.
    """

    cdef int run(self, list inputs, list outputs) except -1:
        cdef Frame frame
        cdef Views views
        cdef int32_t status
        cdef ForeignInstance instance = self.instance
        if instance is None:
            raise PluginError("ForeignForward was made without an operator")
        expect_count(self, inputs, self.n_inputs, outputs, self.n_outputs)
        self.expect_types(inputs, outputs)
        open_views(&views, self.n_inputs + self.n_outputs, inputs, outputs)
        set_views(&views, views.tensors, inputs, 0, self.n_inputs)
        set_views(&views, views.tensors + self.n_inputs, outputs, 0, self.n_outputs)
        instance.begin(&frame)
        frame.call.inputs, frame.call.n_inputs = views.tensors, self.n_inputs
        frame.call.outputs, frame.call.n_outputs = views.tensors + self.n_inputs, self.n_outputs
        with nogil:
            status = instance.operator.table.forward(&frame.call)
            close_frame(&frame)
        return finish(self, &views, &frame, status)


@cython.final
cdef class ForeignBackward(_Foreign):
    """The backward function of a native operator.

    Its inputs are the gradients of the outputs, then the operator's inputs and its outputs, each as
    far as they are kept; its outputs are the gradients of the inputs.

    Parameters
    ----------
    instance, n_inputs, n_outputs, infer
        As for `ForeignForward`; the numbers are those of the forward function.
    has_inputs, has_outputs : bool
        Whether the operator's inputs and outputs are among the inputs.
    """

    cdef bint has_inputs, has_outputs

    def __init__(
        self, ForeignInstance instance not None, int n_inputs, int n_outputs, infer,
        bint has_inputs, bint has_outputs,
    ):
        _Foreign.__init__(self, instance, n_inputs, n_outputs, infer)
        self.has_inputs, self.has_outputs = has_inputs, has_outputs

    cdef int run(self, list inputs, list outputs) except -1:
        cdef Frame frame
        cdef Views views
        cdef int32_t status
        cdef ForeignInstance instance = self.instance
        cdef int n_in = self.n_inputs, n_out = self.n_outputs, at = self.n_outputs
        cdef opforge_tensor* heads
        cdef opforge_tensor* grads
        cdef opforge_tensor* ins
        cdef opforge_tensor* outs
        if instance is None or instance.operator.table.backward == NULL:
            raise PluginError(f"{self!r} has no backward function")
        expect_count(
            self, inputs, n_out + n_in * self.has_inputs + n_out * self.has_outputs, outputs, n_in
        )
        self.expect_types(inputs, outputs)
        open_views(&views, 2 * (n_in + n_out), inputs, outputs)
        heads, grads = views.tensors, views.tensors + n_out
        ins = grads + n_in
        outs = ins + n_in
        set_views(&views, heads, inputs, 0, n_out)
        set_views(&views, grads, outputs, 0, n_in)
        if self.has_inputs:
            set_views(&views, ins, inputs, at, at + n_in)
            at += n_in
        else:
            set_unknown(ins, n_in)
        if self.has_outputs:
            set_views(&views, outs, inputs, at, at + n_out)
        else:
            set_unknown(outs, n_out)
        instance.begin(&frame)
        frame.call.out_grads, frame.call.in_grads = heads, grads
        frame.call.inputs, frame.call.n_inputs = ins, n_in
        frame.call.outputs, frame.call.n_outputs = outs, n_out
        with nogil:
            status = instance.operator.table.backward(&frame.call)
            close_frame(&frame)
        return finish(self, &views, &frame, status)
