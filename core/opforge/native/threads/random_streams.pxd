# Which key and counter random numbers come from; every function needs the GIL.

from libc.stdint cimport uint64_t

cdef extern from "opforge_random_stream.h":
    ctypedef struct Stream "opforge_stream":
        uint64_t key, counter, children, age
        bint own

ctypedef bint (*training_fn)() noexcept nogil        # tells whether this thread is in training mode

cdef uint64_t stream_key() noexcept
cdef uint64_t advance(uint64_t batches) noexcept     # takes a range of the counter; returns its first
cdef void set_training_flag(training_fn flag) noexcept

# A task: its key is drawn when it is pushed; it runs between the other two.
cdef uint64_t child_key() noexcept
cdef Stream enter_stream(uint64_t key) noexcept
cdef void leave_stream(Stream before) noexcept
