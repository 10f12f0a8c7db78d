# Conversion between the core's codes of element types and the interface's packed types. The table is in
# memory/types.pxd.

from libc.stdint cimport int32_t
from opforge.abi cimport opforge_dtype

from opforge.native.memory.types cimport N_DTYPES, opforge_element_types


# The packed type of a code.
cdef inline opforge_dtype dtype_of(int code) noexcept nogil:
    return opforge_element_types[code].dtype


# The code of a packed type; -1 if opforge has no arrays of it.
cdef inline int code_of(opforge_dtype dtype) noexcept nogil:
    cdef int code
    for code in range(N_DTYPES):
        if opforge_element_types[code].dtype == dtype:
            return code
    return -1
