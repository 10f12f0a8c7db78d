# Functions of BLAS and LAPACK for plugins; these functions are in the host's table.

from libc.stdint cimport int32_t
from opforge.abi cimport opforge_body, opforge_call, opforge_routine

from opforge.native.loops.blas cimport Blas

# Returns OpenBLAS, loading it if needed; on failure sets `status` and the call's message and returns NULL.
cdef Blas* ensure_blas(opforge_call* call, int32_t* status, const char* function) noexcept nogil

cdef opforge_routine host_routine(opforge_call* call, const char* name) noexcept nogil
cdef int32_t host_run_routines(opforge_call* call, opforge_body body, void* argument) noexcept nogil
