"""The host functions of the native interface: what opforge does for the C functions of plugins.

They are called without the GIL. A frame is one call with what the host has to remember of it.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset
from opforge.abi cimport (
    OPFORGE_ABI_MAJOR, OPFORGE_ABI_MINOR, opforge_call, opforge_host, opforge_range,
)

from opforge.native.memory.buffer cimport lend_block, take_back
from opforge.native.threads.parallel cimport parallel_for
from opforge.native.threads.random_streams cimport child_key

cdef extern from "string.h" nogil:
    size_t strnlen(const char* text, size_t most)

cdef enum:
    HEADER = 64                        # keeps scratch memory aligned as the pool's blocks are

cdef struct Loop:
    opforge_range body
    void* argument


cdef void run_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Loop* loop = <Loop*>arg
    loop.body(loop.argument, begin, end)


cdef void host_parallel_for(
    opforge_call* call, int64_t n, int64_t grain, opforge_range body, void* argument,
) noexcept nogil:
    """Run a plugin's loop on the pool of threads."""
    cdef Loop loop
    if body != NULL:
        loop.body, loop.argument = body, argument
        parallel_for(n, grain, run_part, &loop)


cdef void* host_scratch(opforge_call* call, int64_t byte_size) noexcept nogil:
    """Lend memory until the call ends."""
    cdef Frame* frame = <Frame*>call
    cdef int size_class
    cdef char* block = NULL
    if 0 <= byte_size <= (<int64_t>1 << 62):
        block = lend_block(byte_size + HEADER, &size_class)
    if block == NULL:
        return NULL
    (<Lent*>block).next = frame.lent
    (<Lent*>block).size_class = size_class
    frame.lent = <Lent*>block
    return block + HEADER


cdef void host_set_error(opforge_call* call, const char* text) noexcept nogil:
    """Keep the text of an error."""
    cdef Frame* frame = <Frame*>call
    cdef size_t size = 0 if text == NULL else strnlen(text, MAX_TEXT)
    memcpy(frame.text, text, size)
    frame.text[size] = 0


cdef uint64_t host_random_key(opforge_call* call) noexcept nogil:
    """Draw a number from the calling thread's stream."""
    cdef uint64_t key
    if not (<Frame*>call).draws:
        return 0
    with gil:
        key = child_key()
    return key


cdef opforge_host host
memset(&host, 0, sizeof(host))
host.head.struct_size = sizeof(host)
host.head.major, host.head.minor = OPFORGE_ABI_MAJOR, OPFORGE_ABI_MINOR
host.parallel_for = host_parallel_for
host.scratch = host_scratch
host.set_error = host_set_error
host.random_key = host_random_key


cdef void open_frame(Frame* frame) noexcept nogil:
    memset(&frame.call, 0, sizeof(opforge_call))
    frame.call.head.struct_size = sizeof(opforge_call)
    frame.call.head.major, frame.call.head.minor = OPFORGE_ABI_MAJOR, OPFORGE_ABI_MINOR
    frame.call.host = &host
    frame.lent = NULL
    frame.draws = False
    frame.text[0] = 0


cdef void close_frame(Frame* frame) noexcept nogil:
    cdef Lent* lent = frame.lent
    cdef Lent* next
    while lent != NULL:
        next = lent.next
        take_back(<char*>lent, lent.size_class)
        lent = next
    frame.lent = NULL
