# One call of a plugin's function, with what opforge has to remember of it.

from libc.stdint cimport int32_t, int64_t
from opforge.abi cimport opforge_call

cdef enum:
    MAX_TEXT = 1000                    # bytes of an error's text

cdef struct Lent:                      # in front of each block of scratch memory
    Lent* next
    int size_class

# A call as the host knows it. The plugin gets the address of the first field, and passes it back.
cdef struct Frame:
    opforge_call call
    Lent* lent
    int64_t lacking                    # bytes of scratch memory that could not be lent, or 0
    bint draws                         # the operator says that it draws random numbers
    char writing                       # a thread writes `text`
    char[MAX_TEXT + 1] text

cdef void close_frame(Frame* frame) noexcept nogil         # frees the scratch memory
cdef void clear_frame(Frame* frame) noexcept nogil         # all but the call's fields

# These two are in the host's table. Texts may come from any thread.
cdef void* lend_scratch(opforge_call* call, int64_t byte_size) noexcept nogil
cdef void set_error(opforge_call* call, const char* text) noexcept nogil

# Keeps a text and returns `status`.
cdef int32_t failed(opforge_call* call, int32_t status, const char* text) noexcept nogil
