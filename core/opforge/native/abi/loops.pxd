# Parallel loops for plugins; these functions are in the host's table.

from libc.stdint cimport int32_t, int64_t
from opforge.abi cimport opforge_call, opforge_part, opforge_range

cdef int32_t host_threads(opforge_call* call) noexcept nogil
cdef void host_parallel_for(opforge_call* call, int64_t n, int64_t grain, opforge_range body, void* argument) noexcept nogil
cdef int32_t host_parallel(opforge_call* call, int64_t n, int64_t grain, int64_t scratch_bytes, opforge_part body, void* argument) noexcept nogil
