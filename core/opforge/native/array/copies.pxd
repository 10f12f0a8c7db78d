# Copies of elements, and transfers of memory, between arrays.

from opforge.native.array.array cimport Array
from opforge.native.threads.spans cimport Site

cdef int copy_array(Array target, Array source) except -1      # same size; converts the type
cdef Site COPY                                                 # the profiler's site for copies
# Move the memory of `source` to `target`; `source` must not be used afterwards. Return False and do
# nothing if either memory is visible to other code or is not a whole pool block.
cdef bint take_memory(Array target, Array source)
