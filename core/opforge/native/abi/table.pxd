# Tables of C functions provided by plugins.

from libc.stdint cimport uint16_t, uint32_t
from opforge.abi cimport opforge_operator

cdef class ForeignOperator:            # the functions of one operator on one type of device
    cdef readonly str name
    cdef readonly str source           # name of the plugin's module, for messages
    cdef opforge_operator table        # a copy
    cdef object keep                   # keeps the functions alive

cdef int expect_version(str source, uint16_t major, uint16_t minor) except -1                # rejects incompatible ones
cdef int expect_size(str name, uint32_t size, size_t min_size) except -1
