# Matrix products for plugins; this function is in the host's table.

from libc.stdint cimport int32_t
from opforge.abi cimport opforge_call, opforge_gemm

cdef int32_t host_gemm(opforge_call* call, const opforge_gemm* product) noexcept nogil
