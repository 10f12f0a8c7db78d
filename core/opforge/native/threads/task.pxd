# What a task is to C.

# Returns 0, or a status; then `payload` may get a new reference to a Python exception. Consumes `arg`.
ctypedef int (*task_fn)(void* arg, void** payload) noexcept nogil
# Called instead of it where it is not run.
ctypedef void (*release_fn)(void* arg) noexcept nogil
