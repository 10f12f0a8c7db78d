"""Placeholder until the engine lands: no task is ever pending."""


cdef void free_var(void* var) noexcept:
    pass


cdef int wait_for_read(void* var) except -1:
    return 0


cdef int wait_for_write(void* var) except -1:
    return 0
