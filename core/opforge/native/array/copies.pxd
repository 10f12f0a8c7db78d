# Elements and memory from one array to another.

from opforge.native.array.array cimport Array
from opforge.native.threads.spans cimport Site

cdef int copy_array(Array target, Array source) except -1      # same size; converts the type
cdef Site COPY                                                 # of the profiler
# Gives `target` the memory of `source`, which nobody may use afterwards; False, and nothing done, where
# somebody else can see either memory, or it is not all of a pool block.
cdef bint take_memory(Array target, Array source)
