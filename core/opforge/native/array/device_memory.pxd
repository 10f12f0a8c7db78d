# Memory for arrays on the device of a context.

from opforge.native.memory.buffer cimport Buffer

cdef bint has_host_memory(object context) except -1            # rejects contexts whose device has no memory
cdef Buffer new_buffer(Py_ssize_t nbytes, object context)      # uninitialized
