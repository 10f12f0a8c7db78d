"""Operators whose functions are a plugin's C functions: their attributes, state and inference.

The functions run without the GIL. What they answer is checked, and what they report becomes an
exception.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free
from opforge.abi cimport (
    OPFORGE_BAD_ATTRIBUTE, OPFORGE_BAD_DTYPE, OPFORGE_BAD_SHAPE, OPFORGE_FLOAT, OPFORGE_FLOATS,
    OPFORGE_INT, OPFORGE_INTS, OPFORGE_MAX_NDIM, OPFORGE_NO_INT, OPFORGE_NO_MEMORY, OPFORGE_NONE,
    OPFORGE_TEXT, OPFORGE_UNKNOWN, opforge_attribute, opforge_tensor,
)

from opforge.native.abi.host cimport Frame, close_frame, open_frame
from opforge.native.abi.table cimport ForeignOperator
from opforge.native.dispatch.tape cimport is_training
from opforge.native.memory.types cimport N_DTYPES

from opforge.base import dtypes as _dtypes
from opforge.base.errors import (
    AttributeValueError, DTypeError, NativeError, PluginError, ShapeError,
)

__all__ = ["ForeignInstance"]

cdef tuple NAMES = _dtypes.NAMES
cdef dict KINDS = {
    "int": OPFORGE_INT, "float": OPFORGE_FLOAT, "text": OPFORGE_TEXT, "ints": OPFORGE_INTS,
    "floats": OPFORGE_FLOATS,
}
cdef dict ERRORS = {
    OPFORGE_BAD_SHAPE: ShapeError, OPFORGE_BAD_DTYPE: DTypeError,
    OPFORGE_BAD_ATTRIBUTE: AttributeValueError, OPFORGE_NO_MEMORY: MemoryError,
}


cdef int raise_status(ForeignOperator operator, int32_t status, Frame* frame) except -1:
    """The exception for what a function returned, with the text that it gave to `set_error`."""
    text = (<bytes>frame.text).decode("utf-8", "replace")
    raise ERRORS.get(status, NativeError)(text or f"it returned {status} and set no error")


@cython.final
@cython.no_gc_clear                    # `destroy` needs the operator
cdef class ForeignInstance:
    """An operator with its attributes bound; its functions may be called from any thread.

    Parameters
    ----------
    operator : ForeignOperator
    attributes : sequence of (str, str, object)
        Name, kind (``"int"``, ``"float"``, ``"text"``, ``"ints"``, ``"floats"``) and value or None.

    Raises
    ------
    Exception
        As the plugin's `create` reports.
    """

    def __init__(self, ForeignOperator operator not None, attributes):
        cdef Frame frame
        cdef int32_t status
        if self.attributes != NULL or operator.table.forward == NULL:
            raise PluginError(f"{operator!r} has no functions, or its instance is made already")
        self.operator = operator
        self.keep = []
        self.attributes = <opforge_attribute*>calloc(max(len(attributes), 1), sizeof(opforge_attribute))
        if self.attributes == NULL:
            raise MemoryError("no memory for the attributes of a native operator")
        for name, kind, value in attributes:
            self.set_attribute(&self.attributes[self.n_attributes], name, kind, value)
            self.n_attributes += 1
        if operator.table.create != NULL:
            self.begin(&frame)
            with nogil:
                status = operator.table.create(&frame.call)
                close_frame(&frame)
            if status:
                raise_status(operator, status, &frame)
            self.state = frame.call.state
        self.created = True

    def __dealloc__(self):
        cdef Frame frame
        if self.created and self.operator.table.destroy != NULL:
            self.begin(&frame)
            with nogil:
                self.operator.table.destroy(&frame.call)
                close_frame(&frame)
        free(self.attributes)

    cdef void begin(self, Frame* frame) noexcept:
        """Start a call with the attributes and the state."""
        open_frame(frame)
        frame.draws = self.operator.table.flags & 1
        frame.call.attributes = self.attributes
        frame.call.n_attributes = self.n_attributes
        frame.call.state = self.state
        frame.call.is_train = is_training()

    cdef char* hold(self, Py_ssize_t nbytes) except NULL:
        """Memory that lives as long as this object."""
        cdef bytearray memory = bytearray(max(nbytes, 1))
        self.keep.append(memory)
        return memory

    cdef const char* text(self, str value, Py_ssize_t* size) except NULL:
        cdef bytes encoded = value.encode("utf-8")
        self.keep.append(encoded)
        size[0] = len(encoded)
        return encoded

    cdef int set_attribute(self, opforge_attribute* slot, str name, str kind, value) except -1:
        """Fill one attribute."""
        cdef Py_ssize_t size = 0, i
        cdef int64_t* integers
        cdef double* numbers
        slot.name = self.text(name, &size)
        if value is None:
            slot.kind = OPFORGE_NONE
            return 0
        slot.kind = KINDS[kind]
        try:
            if slot.kind == OPFORGE_INT:
                slot.integer = value
                slot.number = <double>slot.integer
            elif slot.kind == OPFORGE_FLOAT:
                slot.number = value
            elif slot.kind == OPFORGE_TEXT:
                slot.text = self.text(value, &size)
                slot.size = size
            elif slot.kind == OPFORGE_INTS:
                slot.size = len(value)
                integers = <int64_t*>self.hold(slot.size * sizeof(int64_t))
                slot.integers = integers
                for i, item in enumerate(value):
                    integers[i] = OPFORGE_NO_INT if item is None else item
            else:
                slot.size = len(value)
                numbers = <double*>self.hold(slot.size * sizeof(double))
                slot.numbers = numbers
                for i, item in enumerate(value):
                    numbers[i] = item
        except OverflowError:
            raise AttributeValueError(
                f"{name}={value!r} does not fit the 64 bits that the native operator gets"
            ) from None
        return 0

    def infer_shapes(self, shapes, Py_ssize_t n_outputs):
        """Ask the plugin for the outputs' shapes.

        Parameters
        ----------
        shapes : sequence of sequence of int
            Of the inputs; all known.
        n_outputs : int

        Returns
        -------
        list of list of int or None
        """
        return self.ask(shapes, None, n_outputs)

    def infer_types(self, codes, Py_ssize_t n_outputs):
        """Ask the plugin for the outputs' types; codes as those given, None where unknown.

        Parameters
        ----------
        codes : sequence of int
            Type codes of the inputs, -1 where unknown.
        n_outputs : int
        """
        return self.ask(None, codes, n_outputs)

    cdef list ask(self, shapes, codes, Py_ssize_t n_outputs):
        """Call `infer` with the shapes or the types."""
        cdef Frame frame
        cdef int32_t status
        cdef Py_ssize_t position, n_inputs = len(codes if shapes is None else shapes)
        if not self.created or self.operator.table.infer == NULL or n_outputs < 0:
            raise PluginError(f"{self.operator!r} has no infer function for {n_outputs} outputs")
        cdef Py_ssize_t count = n_inputs + n_outputs
        cdef opforge_tensor* tensors = <opforge_tensor*>calloc(
            count, sizeof(opforge_tensor) + OPFORGE_MAX_NDIM * sizeof(int64_t)
        )
        cdef int64_t* dims = <int64_t*>(tensors + count)
        if tensors == NULL:
            raise MemoryError("no memory for the inference of a native operator")
        try:
            for position in range(count):
                tensors[position].ndim = tensors[position].dtype = OPFORGE_UNKNOWN
                tensors[position].shape = dims + position * OPFORGE_MAX_NDIM
            for position in range(n_inputs):
                if shapes is None:
                    tensors[position].dtype = codes[position]
                else:
                    set_shape(&tensors[position], shapes[position])
            self.begin(&frame)
            frame.call.inputs, frame.call.n_inputs = tensors, <int32_t>n_inputs
            frame.call.outputs, frame.call.n_outputs = tensors + n_inputs, <int32_t>n_outputs
            with nogil:
                status = self.operator.table.infer(&frame.call)
                close_frame(&frame)
            if status:
                raise_status(self.operator, status, &frame)
            found = []
            for position in range(n_inputs, count):
                found.append(
                    answered_type(&tensors[position], position - n_inputs) if shapes is None
                    else answered_shape(
                        &tensors[position], dims + position * OPFORGE_MAX_NDIM, position - n_inputs
                    )
                )
            return found
        finally:
            free(tensors)


cdef int set_shape(opforge_tensor* tensor, shape) except -1:
    """Fill the shape of an input."""
    cdef Py_ssize_t axis
    if len(shape) > OPFORGE_MAX_NDIM:
        raise ShapeError(f"an input has {len(shape)} dimensions, expected at most {OPFORGE_MAX_NDIM}")
    tensor.ndim = len(shape)
    for axis in range(tensor.ndim):
        tensor.shape[axis] = shape[axis]
    return 0


cdef object answered_shape(opforge_tensor* tensor, int64_t* own, Py_ssize_t position):
    """The shape that `infer` gave an output, None where it left it unknown."""
    if tensor.shape != own:
        raise ShapeError(
            f"its infer replaced the shape pointer of output {position}; copy the dimensions into "
            "the array that it points to"
        )
    if not -1 <= tensor.ndim <= OPFORGE_MAX_NDIM:
        raise ShapeError(
            f"its infer gave output {position} {tensor.ndim} dimensions, expected 0 to "
            f"{OPFORGE_MAX_NDIM}, or -1 for unknown"
        )
    if tensor.ndim == -1:
        return None
    return [own[axis] for axis in range(tensor.ndim)]


cdef object answered_type(opforge_tensor* tensor, Py_ssize_t position):
    """The type that `infer` gave an output, None where it left it unknown."""
    if not -1 <= tensor.dtype < N_DTYPES:
        raise DTypeError(
            f"its infer gave output {position} the type {tensor.dtype}, expected "
            f"{', '.join([f'{code} ({name})' for code, name in enumerate(NAMES)])}, or -1 for unknown"
        )
    return None if tensor.dtype == -1 else tensor.dtype
