# C interface of a task.

# Returns 0 or an error status; with an error, `payload` may receive a new reference to an exception. Consumes `arg`.
ctypedef int (*task_fn)(void* arg, void** payload) noexcept nogil
# Called instead if the task never runs.
ctypedef void (*release_fn)(void* arg) noexcept nogil
