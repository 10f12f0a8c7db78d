# The dependency engine: variables, and tasks that read and write them. One engine for the process:
# cimport these functions, never include the header elsewhere.

from libc.stdint cimport uint64_t

from opforge.native.memory.buffer cimport Buffer
from opforge.native.threads.task cimport release_fn, task_fn

cdef void* new_var() except NULL
cdef void free_var(void* var) noexcept               # freed once its pending tasks are done
cdef void* var_of(Buffer b) except NULL              # created on the first call; needs the GIL

# Each returns at once if nothing is pending, releases the GIL while waiting, and raises the exception
# that a task stored on `var`. They need the GIL. A task never waits for variables it holds itself.
cdef int wait_for_read(void* var) except -1
cdef int wait_for_write(void* var) except -1
cdef int wait_for_overwrite(void* var) except -1     # for overwriting all of its memory: a stored exception is discarded
cdef bint is_idle(void* var) noexcept nogil          # nothing pending and no exception stored
cdef uint64_t version_of(void* var) noexcept nogil   # number of completed writing tasks, including failed ones

# Push a C function. `arg` and the memory behind the variables must stay alive until it has run;
# `release(arg)` is called if it never runs.
cdef int push_native(task_fn fn, void* arg, release_fn release, void** read, int n_read,
                     void** write, int n_write, int priority) except -1

# Push a Python callable. `held` is kept alive until it has run, and keeps the variables' memory alive.
# An exception it raises is stored together with the Python line of the push.
cdef int push_callable(object fn, object held, void** read, int n_read, void** write, int n_write,
                       int priority) except -1
