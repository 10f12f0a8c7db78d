# distutils: language = c++
"""Split loops over a thread pool.

The pool is implemented in `threads/opforge_parallel.hpp`; this module holds its only instance and sets
the number of threads and how long they spin. It imports only the base layer. Workers start with the
first loop that needs them; a forked child starts its own.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport uint64_t

from opforge.base import config
from opforge.base.errors import OutOfMemoryError
from opforge.base.integers import as_integer
from opforge.base.limits import available_cpus

cdef extern from "opforge_parallel.hpp" namespace "opforge" nogil:
    ctypedef void (*RangeFn)(void*, Py_ssize_t, Py_ssize_t)
    void cpp_parallel_for "opforge::parallel_for"(
        Py_ssize_t n, Py_ssize_t grain, RangeFn fn, void* arg) noexcept
    void cpp_parallel_for_worth "opforge::parallel_for_worth"(
        Py_ssize_t n, double grains, RangeFn fn, void* arg) noexcept
    cdef struct ThreadState:
        bint inside
        bint stoppable
        bint stopped
    ThreadState& thread_state() noexcept
    ctypedef int (*StopHook)() noexcept
    void set_stop_hook(StopHook hook) noexcept
    void cpp_enter_work "opforge::enter_work"() noexcept
    void cpp_leave_work "opforge::leave_work"() noexcept
    bint cpp_others_work "opforge::others_work"() noexcept
    void cpp_enter_prediction "opforge::enter_prediction"() noexcept
    void cpp_leave_prediction "opforge::leave_prediction"() noexcept
    int cpp_n_predicting "opforge::n_predicting"() noexcept
    uint64_t cpp_work_epoch "opforge::work_epoch"() noexcept
    void set_threads(int count) noexcept
    int get_threads() noexcept
    void set_spin(long microseconds) noexcept
    int register_pool_fork() noexcept

__all__ = ["get_num_threads", "set_num_threads"]

#: More threads than this in one pool are assumed to be a configuration error.
MAX_THREADS = 1024


cdef void parallel_for(Py_ssize_t n, Py_ssize_t grain, range_fn fn, void* arg) noexcept nogil:
    cpp_parallel_for(n, grain, <RangeFn>fn, arg)


cdef void parallel_for_worth(Py_ssize_t n, double grains, range_fn fn, void* arg) noexcept nogil:
    cpp_parallel_for_worth(n, grains, <RangeFn>fn, arg)


cdef object stop_reason = None         # exception raised by a signal handler during a loop


cdef int handle_signals() noexcept nogil:
    """Run the handlers of pending signals; return whether one raised."""
    with gil:
        return keep_what_handlers_raise()


cdef bint keep_what_handlers_raise() noexcept:
    global stop_reason
    try:
        PyErr_CheckSignals()
    except BaseException as error:
        stop_reason = error
        return True
    return False


cdef void enter_work() noexcept:
    cpp_enter_work()


cdef void leave_work() noexcept:
    cpp_leave_work()


cdef bint others_work() noexcept:
    return cpp_others_work()


cdef uint64_t work_epoch() noexcept:
    return cpp_work_epoch()


cdef void enter_prediction() noexcept:
    cpp_enter_prediction()


cdef void leave_prediction() noexcept:
    cpp_leave_prediction()


cdef bint enter_stoppable() noexcept:
    cdef bint before = thread_state().stoppable
    cpp_enter_work()
    thread_state().stoppable = True
    return before


cdef int leave_stoppable(bint before) except -1:
    global stop_reason
    cpp_leave_work()
    thread_state().stoppable = before
    if thread_state().stopped:
        thread_state().stopped = False
        reason, stop_reason = stop_reason, None
        raise reason or RuntimeError("a signal handler forked in the middle of a kernel")
    return 0


cdef bint was_stopped() noexcept nogil:
    return thread_state().stopped


cdef int num_threads() noexcept nogil:
    return get_threads()


cdef bint inside_loop() noexcept nogil:
    return thread_state().inside


def get_num_threads():
    """Return the number of threads a kernel may use, including the calling thread."""
    return num_threads()


def set_num_threads(n):
    """Set the number of threads a kernel may use.

    Parameters
    ----------
    n : int, 1 to 1024
        Includes the calling thread, so 1 disables the pool.

    Returns
    -------
    int
        The previous number.

    Raises
    ------
    ValueError
        `n` is outside that range.

    Examples
    --------
    >>> before = set_num_threads(1)
    >>> get_num_threads()
    1
    >>> _ = set_num_threads(before)
    """
    count = as_integer(n, "n of set_num_threads")
    if not 1 <= count <= MAX_THREADS:
        raise ValueError(
            f"set_num_threads: got n={n!r}, expected an integer from 1 to {MAX_THREADS}; "
            "1 runs every kernel on the calling thread"
        )
    before = num_threads()
    set_threads(count)
    # If threads outnumber CPUs, spinning takes time from the thread that is waited for.
    set_spin(_spin_us if count <= _cpus else 0)
    return before


def _spin_setting():
    text = config.get("OPFORGE_SPIN_US").strip()
    return min(int(text), 1_000_000) if text.isdigit() else 50


cdef void _touch(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(begin, end):
        (<unsigned char*>arg)[i] += 1


cdef struct _Nest:
    unsigned char* cells
    Py_ssize_t width


cdef void _touch_row(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef _Nest* nest = <_Nest*>arg
    cdef Py_ssize_t row
    for row in range(begin, end):
        parallel_for(nest.width, 1, _touch, nest.cells + row * nest.width)


def _n_predicting():
    """Return the number of threads inside a prediction, for tests."""
    return cpp_n_predicting()


def _self_test(unsigned char[::1] cells, Py_ssize_t grain, Py_ssize_t rows=0, Py_ssize_t times=1):
    """Add `times` to each of `cells` through the pool; with `rows`, by a loop inside a loop."""
    cdef _Nest nest
    cdef Py_ssize_t n = cells.shape[0], _time
    if n == 0:
        return
    cdef unsigned char* data = &cells[0]
    with nogil:
        for _time in range(times):
            if rows:
                nest.cells = data
                nest.width = n // rows
                parallel_for(rows, grain, _touch_row, &nest)
            else:
                parallel_for(n, grain, _touch, data)


_cpus = available_cpus()
_spin_us = _spin_setting()
set_num_threads(min(config.get_int("OPFORGE_NUM_THREADS", _cpus), MAX_THREADS))
set_stop_hook(handle_signals)
if register_pool_fork() != 0:
    raise OutOfMemoryError("opforge: no memory to register the fork handler of the thread pool")
