"""One call of a plugin's function: the memory that it uses and the error that it reports."""

from libc.stdint cimport uintptr_t
from libc.string cimport memcpy
from opforge.abi cimport OPFORGE_CPU, OPFORGE_NO_MEMORY, opforge_memory

from opforge.native.memory.buffer cimport lend_block, take_back
from opforge.native.memory.devices cimport memory_of

cdef extern from *:
    """
    /* Messages are short and errors are rare, so a spinlock suffices. */
    static void opforge_text_enter(char* flag) {
        while (__atomic_test_and_set(flag, __ATOMIC_ACQUIRE)) {}
    }
    static void opforge_text_leave(char* flag) { __atomic_clear(flag, __ATOMIC_RELEASE); }
    """
    void enter "opforge_text_enter"(char* flag) nogil
    void leave "opforge_text_leave"(char* flag) nogil

cdef extern from "string.h" nogil:
    size_t strnlen(const char* text, size_t max_size)

cdef enum:
    ALIGNMENT = 64                     # of the pool's blocks
    MAX_ALIGNMENT = 4096
    HEADER = ALIGNMENT                 # bytes for a Lent before the memory

cdef int64_t MAX_BYTES = <int64_t>1 << 62


cdef void clear_frame(Frame* frame) noexcept nogil:
    frame.lent = NULL
    frame.failed_bytes = 0
    frame.draws = False
    frame.writing = 0
    frame.text[0] = 0


cdef Lent* lend(int64_t byte_size, int64_t alignment) noexcept nogil:
    """Return the header of memory from the pool, which follows it; NULL if out of memory."""
    cdef int size_class
    cdef int64_t extra = HEADER + alignment - ALIGNMENT
    cdef char* block = NULL
    cdef Lent* header
    if 0 <= byte_size <= MAX_BYTES:
        block = lend_block(byte_size + extra, &size_class)
    if block == NULL:
        return NULL
    header = <Lent*>(((<uintptr_t>block + extra) & ~<uintptr_t>(alignment - 1)) - HEADER)
    header.block, header.size_class = block, size_class
    return header


cdef void close_frame(Frame* frame) noexcept nogil:
    cdef Lent* lent = frame.lent
    cdef Lent* next
    while lent != NULL:
        next = lent.next
        take_back(lent.block, lent.size_class)
        lent = next
    frame.lent = NULL


cdef void* lend_scratch(opforge_call* call, int64_t byte_size) noexcept nogil:
    cdef Frame* frame = <Frame*>call
    cdef Lent* header = lend(byte_size, ALIGNMENT)
    if header == NULL:
        out_of_memory(call, byte_size, NULL)
        return NULL
    header.next = frame.lent
    frame.lent = header
    return <char*>header + HEADER


cdef void* host_allocate(opforge_call* call, opforge_device device, int64_t byte_size, int64_t alignment) noexcept nogil:
    cdef Lent* header
    if device.type != OPFORGE_CPU:
        return allocate_elsewhere(call, device, byte_size, alignment)
    if not 0 <= alignment <= MAX_ALIGNMENT or alignment & (alignment - 1):
        set_error(call, "allocate: alignment must be 0 or a power of two of at most 4096")
        return NULL
    header = lend(byte_size, max(alignment, <int64_t>ALIGNMENT))
    if header == NULL:
        out_of_memory(call, byte_size, NULL)
        return NULL
    return <char*>header + HEADER


cdef void* allocate_elsewhere(
    opforge_call* call, opforge_device device, int64_t byte_size, int64_t alignment
) noexcept nogil:
    """Return memory of another device than the CPU."""
    cdef const opforge_memory* memory = memory_of(device.type)
    cdef void* data = NULL
    if memory == NULL or not 0 <= device.id < memory.n_devices:
        set_error(call, "allocate: no loaded plugin provides this device")
        return NULL
    if not 0 <= alignment <= ALIGNMENT or alignment & (alignment - 1):
        set_error(call, "allocate: alignment must be 0 or a power of two of at most 64 on this device")
        return NULL
    if 0 <= byte_size <= MAX_BYTES:
        data = memory.allocate(device, max(byte_size, <int64_t>1))
    if data == NULL:
        out_of_memory(call, byte_size, NULL)
    return data


cdef void host_release(opforge_call* call, opforge_device device, void* data) noexcept nogil:
    cdef Lent* header = <Lent*>(<char*>data - HEADER)
    cdef const opforge_memory* memory = memory_of(device.type)
    if data == NULL:
        return
    if device.type == OPFORGE_CPU:
        take_back(header.block, header.size_class)
    elif memory != NULL:
        memory.release(device, data)


cdef void set_error(opforge_call* call, const char* text) noexcept nogil:
    cdef Frame* frame = <Frame*>call
    cdef size_t size = 0 if text == NULL else strnlen(text, MAX_TEXT)
    enter(&frame.writing)
    memcpy(frame.text, text, size)
    frame.text[size] = 0
    leave(&frame.writing)


cdef int32_t failed(opforge_call* call, int32_t status, const char* text) noexcept nogil:
    set_error(call, text)
    return status


cdef int32_t out_of_memory(opforge_call* call, int64_t byte_size, const char* text) noexcept nogil:
    cdef Frame* frame = <Frame*>call
    enter(&frame.writing)
    frame.failed_bytes = byte_size
    leave(&frame.writing)
    if text != NULL:
        set_error(call, text)
    return OPFORGE_NO_MEMORY
