# Placeholder of the engine's C-level face (helper C replaces this file): no task is ever pending.

cdef void free_var(void* var) noexcept
cdef int wait_for_read(void* var) except -1
cdef int wait_for_write(void* var) except -1
