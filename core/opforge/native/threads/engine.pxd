# The dependency engine: variables, and tasks that read and write them. One engine for the process:
# cimport these functions, never include the header elsewhere.

from libc.stdint cimport uint64_t

from opforge.native.memory.buffer cimport Buffer
from opforge.native.threads.task cimport release_fn, task_fn

cdef void* new_var() except NULL
cdef void free_var(void* var) noexcept               # with tasks pending, it lives until they are done
cdef void* var_of(Buffer b) except NULL              # made at the first call; needs the GIL

# Each returns at once where nothing is pending, releases the GIL while it waits, and raises what a
# task stored on `var`; need the GIL. Inside a task, a variable that it holds needs no wait.
cdef int wait_for_read(void* var) except -1
cdef int wait_for_write(void* var) except -1
cdef int wait_for_overwrite(void* var) except -1     # of all its memory: what is stored is forgotten
cdef bint is_idle(void* var) noexcept nogil          # nothing pending and no exception stored
cdef uint64_t version_of(void* var) noexcept nogil   # complete tasks that wrote it, failed ones included

# Pushes a C function. What `arg` points to, and the memory behind the variables, must live until it
# has run; `release(arg)` is called instead of it where it is not run.
cdef int push_native(task_fn fn, void* arg, release_fn release, void** read, int n_read,
                     void** write, int n_write, int priority) except -1

# Pushes a Python callable; `held` lives until it has run, and keeps the memory behind the variables alive.
# What it raises is stored with the Python line that called.
cdef int push_callable(object fn, object held, void** read, int n_read, void** write, int n_write,
                       int priority) except -1
