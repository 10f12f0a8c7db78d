# An operator of a plugin's C functions with its attributes and its state.

from libc.stdint cimport int32_t
from opforge.abi cimport opforge_attribute

from opforge.native.abi.frame cimport Frame
from opforge.native.abi.table cimport ForeignOperator

cdef class ForeignInstance:            # attributes and state; `create` made it
    cdef readonly ForeignOperator operator
    cdef opforge_attribute* attributes
    cdef int n_attributes
    cdef list keep                     # what the attributes point into
    cdef void* state
    cdef bint created
    cdef void begin(self, Frame* frame) noexcept
    cdef char* hold(self, Py_ssize_t nbytes) except NULL
    cdef const char* text(self, str value, Py_ssize_t* size) except NULL
    cdef int set_attribute(self, opforge_attribute* slot, str name, str kind, object value) except -1

# Raises the exception for what a function returned.
cdef int raise_status(ForeignOperator operator, int32_t status, Frame* frame) except -1
