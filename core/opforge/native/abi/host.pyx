"""The host's table of the native interface: functions that opforge provides to C functions of plugins.

They are called without the GIL. Longer functions are in separate modules.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset
from opforge.abi cimport (
    OPFORGE_ABI_MAJOR, OPFORGE_ABI_MINOR, OPFORGE_BAD_DTYPE, OPFORGE_BAD_SHAPE, opforge_call,
    opforge_count, opforge_dtype, opforge_host,
)

from opforge.native.abi.dtypes cimport code_of
from opforge.native.abi.frame cimport (
    Frame, clear_frame, failed, host_allocate, host_release, lend_scratch, set_error,
)
from opforge.native.abi.gemm cimport host_gemm
from opforge.native.abi.loops cimport host_parallel, host_parallel_for, host_threads
from opforge.native.abi.routines cimport host_routine, host_run_routines
from opforge.native.loops.casting cimport run_cast
from opforge.native.loops.epilogue cimport run_epilogue
from opforge.native.threads.random_streams cimport child_key

from opforge.native.kernels import isa as _isa

cdef bytes isa_name = _isa.best().encode()


cdef uint64_t host_random_key(opforge_call* call) noexcept nogil:
    """Draw a number from the calling thread's stream."""
    cdef uint64_t key
    if not (<Frame*>call).draws:
        return 0
    with gil:
        key = child_key()
    return key


cdef int32_t host_convert(
    opforge_call* call, opforge_dtype source, const void* x, opforge_dtype target, void* y, int64_t n,
) noexcept nogil:
    """Convert elements from one type to another."""
    cdef int source_code = code_of(source), target_code = code_of(target)
    if source_code < 0 or target_code < 0:
        return failed(call, OPFORGE_BAD_DTYPE, "convert: source or target type is not an element type of opforge")
    if n < 0:
        return failed(call, OPFORGE_BAD_SHAPE, "convert: the number of elements is negative")
    return run_cast(source_code, target_code, x, y, n)


cdef int32_t host_epilogue(opforge_call* call, void* y, int64_t position, int64_t n) noexcept nogil:
    """Apply the steps of the call's epilogue to elements of the result."""
    cdef int64_t size
    if call.n_epilogue == 0:
        return 0
    size = opforge_count(&call.outputs[0])
    if not 0 <= position <= size or not 0 <= n <= size - position:
        return failed(
            call, OPFORGE_BAD_SHAPE, "epilogue: position and n exceed the elements of the result"
        )
    run_epilogue(call.epilogue, call.n_epilogue, code_of(call.outputs[0].dtype), y, position, 1, n, 0)
    return 0


cdef opforge_host host
memset(&host, 0, sizeof(host))
host.head.struct_size = sizeof(host)
host.head.major, host.head.minor = OPFORGE_ABI_MAJOR, OPFORGE_ABI_MINOR
host.isa = isa_name
host.set_error = set_error
host.scratch = lend_scratch
host.allocate = host_allocate
host.release = host_release
host.random_key = host_random_key
host.threads = host_threads
host.parallel_for = host_parallel_for
host.parallel = host_parallel
host.gemm = host_gemm
host.convert = host_convert
host.epilogue = host_epilogue
host.routine = host_routine
host.run_routines = host_run_routines


cdef void open_frame(Frame* frame) noexcept nogil:
    memset(&frame.call, 0, sizeof(opforge_call))
    frame.call.head.struct_size = sizeof(opforge_call)
    frame.call.head.major, frame.call.head.minor = OPFORGE_ABI_MAJOR, OPFORGE_ABI_MINOR
    frame.call.host = &host
    clear_frame(frame)
