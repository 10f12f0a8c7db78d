"""Operators implemented by a plugin's C functions: their attributes and their state.

The functions run without the GIL. Errors that they report become exceptions.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free
from opforge.abi cimport (
    OPFORGE_BAD_ATTRIBUTE, OPFORGE_BAD_DTYPE, OPFORGE_BAD_SHAPE, OPFORGE_FLOAT, OPFORGE_FLOATS,
    OPFORGE_INT, OPFORGE_INTS, OPFORGE_NO_INT, OPFORGE_NO_MEMORY, OPFORGE_NONE, OPFORGE_RANDOM,
    OPFORGE_TEXT, opforge_attribute,
)

from opforge.native.abi.dtypes cimport dtype_of
from opforge.native.abi.frame cimport Frame, close_frame
from opforge.native.abi.host cimport open_frame
from opforge.native.abi.table cimport ForeignOperator
from opforge.native.dispatch.tape cimport is_training
from opforge.native.memory.devices cimport stream_of

from opforge.base.errors import (
    AttributeValueError, DTypeError, NativeError, OutOfMemoryError, PluginError, ShapeError,
)

__all__ = ["ForeignInstance"]

cdef dict KINDS = {
    "int": OPFORGE_INT, "float": OPFORGE_FLOAT, "text": OPFORGE_TEXT, "ints": OPFORGE_INTS,
    "floats": OPFORGE_FLOATS, "dtype": OPFORGE_INT,
}
cdef dict ERRORS = {
    OPFORGE_BAD_SHAPE: ShapeError, OPFORGE_BAD_DTYPE: DTypeError,
    OPFORGE_BAD_ATTRIBUTE: AttributeValueError, OPFORGE_NO_MEMORY: OutOfMemoryError,
}


cdef int raise_status(ForeignOperator operator, int32_t status, Frame* frame) except -1:
    """Raise the exception for a status, with the message passed to `set_error`."""
    text = (<bytes>frame.text).decode("utf-8", "replace")
    if status == OPFORGE_NO_MEMORY and frame.failed_bytes:
        text = f"{text or 'out of memory'}: cannot allocate {frame.failed_bytes} bytes"
    elif status == OPFORGE_NO_MEMORY:
        text = text or "out of memory"
    raise ERRORS.get(status, NativeError)(text or f"the function returned status {status} without calling set_error")


@cython.final
@cython.no_gc_clear                    # `destroy` needs the operator
cdef class ForeignInstance:
    """Operator with its attributes bound; its functions may be called from any thread.

    Parameters
    ----------
    operator : ForeignOperator
    attributes : sequence of (str, str, object)
        Name, kind (``"int"``, ``"float"``, ``"text"``, ``"ints"``, ``"floats"``, or ``"dtype"`` for a
        type code) and value or None.
    device_id : int, default 0
        Which of the devices of the operator's type its calls run on.

    Raises
    ------
    Exception
        The error reported by the plugin's `create`.
    """

    def __init__(self, ForeignOperator operator not None, attributes, int32_t device_id=0):
        cdef Frame frame
        cdef int32_t status
        if self.attributes != NULL or operator.table.forward == NULL:
            raise PluginError(f"{operator!r} has no functions, or this instance is already initialized")
        self.operator = operator
        self.device.type, self.device.id = operator.table.device_type, device_id
        self.keep = []
        self.attributes = <opforge_attribute*>calloc(max(len(attributes), 1), sizeof(opforge_attribute))
        if self.attributes == NULL:
            raise OutOfMemoryError("cannot allocate memory for the attributes of a native operator")
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
        """Initialize a call with the attributes and the state."""
        open_frame(frame)
        frame.draws = (self.operator.table.flags & OPFORGE_RANDOM) != 0
        frame.call.device = self.device
        frame.call.stream = stream_of(self.device)
        frame.call.attributes = self.attributes
        frame.call.n_attributes = self.n_attributes
        frame.call.state = self.state
        frame.call.is_train = is_training()

    cdef char* allocate(self, Py_ssize_t nbytes) except NULL:
        """Return memory that lives as long as this object."""
        cdef bytearray memory = bytearray(max(nbytes, 1))
        self.keep.append(memory)
        return memory

    cdef const char* text(self, str value, Py_ssize_t* size) except NULL:
        cdef bytes encoded = value.encode("utf-8")
        self.keep.append(encoded)
        size[0] = len(encoded)
        return encoded

    cdef int set_attribute(self, opforge_attribute* slot, str name, str kind, value) except -1:
        """Fill the slot of one attribute."""
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
                slot.integer = dtype_of(value) if kind == "dtype" else value
                slot.number = <double>slot.integer
            elif slot.kind == OPFORGE_FLOAT:
                slot.number = value
            elif slot.kind == OPFORGE_TEXT:
                slot.text = self.text(value, &size)
                slot.size = size
            elif slot.kind == OPFORGE_INTS:
                slot.size = len(value)
                integers = <int64_t*>self.allocate(slot.size * sizeof(int64_t))
                slot.integers = integers
                for i, item in enumerate(value):
                    integers[i] = OPFORGE_NO_INT if item is None else item
            else:
                slot.size = len(value)
                numbers = <double*>self.allocate(slot.size * sizeof(double))
                slot.numbers = numbers
                for i, item in enumerate(value):
                    numbers[i] = item
        except OverflowError:
            raise AttributeValueError(
                f"{name}={value!r} does not fit 64 bits, the size of attributes of native operators"
            ) from None
        return 0
