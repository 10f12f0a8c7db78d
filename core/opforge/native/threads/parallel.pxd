# Loops split over a thread pool. There is one pool per process: cimport these functions, and never
# include the header elsewhere. Everything here may be called with or without the GIL.

from libc.stdint cimport uint64_t

ctypedef void (*range_fn)(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil

# Run `fn` over [0, n) in contiguous parts of at least `grain` units on up to num_threads() threads,
# including the caller; return when all parts are done. Runs inline (one part) if n < 2 * grain, inside
# another part, or while another thread's loop uses the pool. The cuts depend on the number of threads,
# so results must not depend on where they fall.
cdef void parallel_for(Py_ssize_t n, Py_ssize_t grain, range_fn fn, void* arg) noexcept nogil

# The same if a unit may be many grains: `grains` is the work of the whole loop.
cdef void parallel_for_worth(Py_ssize_t n, double grains, range_fn fn, void* arg) noexcept nogil
cdef int num_threads() noexcept nogil
cdef bint inside_loop() noexcept nogil    # is this a part of a loop, so that nested loops run inline

# Between these two, a call of this thread works on arrays and may release the GIL.
cdef void enter_work() noexcept
cdef void leave_work() noexcept
cdef bint others_work() noexcept          # is another thread between the two, possibly in the middle of a write
cdef uint64_t work_epoch() noexcept       # once it has grown by two, all calls active before have ended

# The same, but Ctrl-C also ends loops of this thread early: their results are incomplete, and the
# second function raises. `before` is the return value of the first. Each costs a few instructions.
cdef bint enter_stoppable() noexcept
cdef int leave_stoppable(bint before) except -1
cdef bint was_stopped() noexcept nogil    # has Ctrl-C ended a loop of this thread since the first call

# Between these two, this thread predicts. While as many threads do as the pool has, each computes its
# loops alone.
cdef void enter_prediction() noexcept
cdef void leave_prediction() noexcept
