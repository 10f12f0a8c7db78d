# One call of a plugin's function with opforge's state for it.

from libc.stdint cimport int32_t, int64_t
from opforge.abi cimport opforge_call, opforge_device

cdef enum:
    MAX_TEXT = 1000                    # bytes of an error message

cdef struct Lent:                      # header of each block of memory for plugins
    Lent* next                         # of the same call; for scratch memory
    char* block                        # beginning of the pool's block
    int size_class

# The host's view of a call. The plugin gets the address of the first field and passes it back.
cdef struct Frame:
    opforge_call call
    Lent* lent
    int64_t failed_bytes               # bytes of memory that could not be allocated, or 0
    bint draws                         # the operator declares that it draws random numbers
    char writing                       # spinlock of `text` and `failed_bytes`
    char[MAX_TEXT + 1] text

cdef void close_frame(Frame* frame) noexcept nogil         # frees the scratch memory
cdef void clear_frame(Frame* frame) noexcept nogil         # resets all fields except the call

# These are in the host's table. All except lend_scratch may be called from any thread.
cdef void* lend_scratch(opforge_call* call, int64_t byte_size) noexcept nogil
cdef void* host_allocate(opforge_call* call, opforge_device device, int64_t byte_size, int64_t alignment) noexcept nogil
cdef void host_release(opforge_call* call, opforge_device device, void* data) noexcept nogil
cdef void set_error(opforge_call* call, const char* text) noexcept nogil

# Stores an error message and returns `status`.
cdef int32_t failed(opforge_call* call, int32_t status, const char* text) noexcept nogil

# Stores the size of memory that could not be allocated, and a message if not NULL; returns OPFORGE_NO_MEMORY.
cdef int32_t out_of_memory(opforge_call* call, int64_t byte_size, const char* text) noexcept nogil
