# Keys and counters of random numbers; every function needs the GIL.

from libc.stdint cimport uint64_t

cdef extern from "opforge_random_stream.h":
    ctypedef struct Stream "opforge_stream":
        uint64_t key, counter, children, age
        bint own

ctypedef bint (*training_fn)() noexcept nogil        # is this thread in training mode

cdef uint64_t stream_key() noexcept
cdef uint64_t advance(uint64_t batches) noexcept     # reserves a range of the counter; returns its start
cdef void set_training_flag(training_fn flag) noexcept

# For tasks: the key is drawn when a task is pushed; the task runs between the other two.
cdef uint64_t child_key() noexcept
cdef Stream enter_stream(uint64_t key) noexcept
cdef void leave_stream(Stream before) noexcept
