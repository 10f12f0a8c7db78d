# Loops split over a pool of threads. One pool for the whole process: cimport these functions, never
# include the header elsewhere. Everything here may be called with or without the GIL.

from libc.stdint cimport uint64_t

ctypedef void (*range_fn)(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil

# Runs `fn` over [0, n) in contiguous parts of at least `grain` units on up to num_threads() threads,
# the caller being one; returns when all parts are done. Inline (one part) when n < 2 * grain, inside
# another part, or while another thread's loop has the pool. The cuts depend on the number of threads,
# so a result must not depend on where they fall.
cdef void parallel_for(Py_ssize_t n, Py_ssize_t grain, range_fn fn, void* arg) noexcept nogil

# The same where a unit may be far more than a grain: `grains` says what the whole loop is worth.
cdef void parallel_for_worth(Py_ssize_t n, double grains, range_fn fn, void* arg) noexcept nogil
cdef int num_threads() noexcept nogil
cdef bint inside_loop() noexcept nogil    # is this a part of a loop, so that loops of its own run inline

# Between these two, a call of this thread works on arrays and may let others have the GIL meanwhile.
cdef void enter_work() noexcept
cdef void leave_work() noexcept
cdef bint others_work() noexcept          # is another thread between the two: it may be in the middle of a write
cdef uint64_t work_epoch() noexcept       # where it is two more than before, whoever was at work then has ended that

# The same, and Ctrl-C ends loops of this thread early: what they leave behind is half done, and the
# second raises. `before` is what the first returned. Neither costs more than a few instructions.
cdef bint enter_stoppable() noexcept
cdef int leave_stoppable(bint before) except -1
cdef bint was_stopped() noexcept nogil    # has Ctrl-C ended a loop of this thread since the first
