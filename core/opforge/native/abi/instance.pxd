# An operator implemented by a plugin's C functions, with its attributes and its state.

from libc.stdint cimport int32_t
from opforge.abi cimport opforge_attribute, opforge_device

from opforge.native.abi.frame cimport Frame
from opforge.native.abi.table cimport ForeignOperator

cdef class ForeignInstance:            # attributes, and state made by `create`
    cdef readonly ForeignOperator operator
    cdef opforge_device device         # of all its calls
    cdef opforge_attribute* attributes
    cdef int n_attributes
    cdef list keep                     # owns the memory that the attributes point to
    cdef void* state
    cdef bint created
    cdef void begin(self, Frame* frame) noexcept
    cdef char* allocate(self, Py_ssize_t nbytes) except NULL
    cdef const char* text(self, str value, Py_ssize_t* size) except NULL
    cdef int set_attribute(self, opforge_attribute* slot, str name, str kind, object value) except -1

# Raises the exception for a nonzero status returned by a function.
cdef int raise_status(ForeignOperator operator, int32_t status, Frame* frame) except -1
