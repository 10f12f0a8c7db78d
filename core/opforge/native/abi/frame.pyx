"""One call of a plugin's function: the memory that it borrows, and the error that it reports."""

from libc.string cimport memcpy

from opforge.native.memory.buffer cimport lend_block, take_back

cdef extern from *:
    """
    /* Texts are short and errors are rare: whoever comes second waits some nanoseconds. */
    static void opforge_text_enter(char* flag) {
        while (__atomic_test_and_set(flag, __ATOMIC_ACQUIRE)) {}
    }
    static void opforge_text_leave(char* flag) { __atomic_clear(flag, __ATOMIC_RELEASE); }
    """
    void enter "opforge_text_enter"(char* flag) nogil
    void leave "opforge_text_leave"(char* flag) nogil

cdef extern from "string.h" nogil:
    size_t strnlen(const char* text, size_t most)

cdef enum:
    HEADER = 64                        # keeps scratch memory aligned as the pool's blocks are


cdef void clear_frame(Frame* frame) noexcept nogil:
    frame.lent = NULL
    frame.lacking = 0
    frame.draws = False
    frame.writing = 0
    frame.text[0] = 0


cdef void close_frame(Frame* frame) noexcept nogil:
    cdef Lent* lent = frame.lent
    cdef Lent* next
    while lent != NULL:
        next = lent.next
        take_back(<char*>lent, lent.size_class)
        lent = next
    frame.lent = NULL


cdef void* lend_scratch(opforge_call* call, int64_t byte_size) noexcept nogil:
    cdef Frame* frame = <Frame*>call
    cdef int size_class
    cdef char* block = NULL
    if 0 <= byte_size <= (<int64_t>1 << 62):
        block = lend_block(byte_size + HEADER, &size_class)
    if block == NULL:
        frame.lacking = byte_size
        return NULL
    (<Lent*>block).next = frame.lent
    (<Lent*>block).size_class = size_class
    frame.lent = <Lent*>block
    return block + HEADER


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
