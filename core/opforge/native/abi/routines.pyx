"""Functions of BLAS and LAPACK for plugins: their addresses, and calls within the reserved memory."""

from libc.stdint cimport int32_t
from opforge.abi cimport OPFORGE_ERROR, OPFORGE_NO_MEMORY, opforge_body, opforge_call, opforge_routine

from opforge.native.abi.frame cimport failed, set_error
from opforge.native.loops.blas cimport Blas, blas, enter_blas, find_routine, leave_blas, loaded_blas


cdef Blas* ensure_blas(opforge_call* call, int32_t* status, const char* function) noexcept nogil:
    cdef Blas* table = loaded_blas()
    if table == NULL:
        with gil:
            table = load_blas(call, status, function)
    return table


cdef Blas* load_blas(opforge_call* call, int32_t* status, const char* function) noexcept:
    cdef bytes text
    try:
        return blas()
    except Exception as exception:     # raised once the plugin's function returns the status
        status[0] = OPFORGE_NO_MEMORY if isinstance(exception, MemoryError) else OPFORGE_ERROR
        text = f"{function.decode()}: {exception}".encode()
        set_error(call, text)
        return NULL


cdef opforge_routine host_routine(opforge_call* call, const char* name) noexcept nogil:
    """Return a function of BLAS or LAPACK."""
    cdef int32_t status = 0
    cdef void* found
    if ensure_blas(call, &status, "routine") == NULL:
        return NULL
    found = find_routine(name)
    if found == NULL:
        failed(call, OPFORGE_ERROR, "routine: BLAS and LAPACK have no function of this name")
    return <opforge_routine>found


cdef int32_t host_run_routines(opforge_call* call, opforge_body body, void* argument) noexcept nogil:
    """Run a function that calls functions of BLAS or LAPACK."""
    if not enter_blas():
        return failed(call, OPFORGE_NO_MEMORY, "run_routines: no memory for the thread's data of OpenBLAS")
    body(argument)
    leave_blas()
    return 0
