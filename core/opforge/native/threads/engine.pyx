# distutils: language = c++
"""Run tasks in an order that respects the variables they read and write.

The scheduler is `threads/opforge_engine.hpp`; this module holds its only instance and its Python
side: callables as tasks, interrupts, fork and exit. The engine's lock is never held while the GIL is
taken, and the GIL is released before anything is waited for.
"""

import atexit
import os
import sys
import time

from cpython.exc cimport PyErr_CheckSignals
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from libc.stdint cimport uint64_t

from opforge.base import config
from opforge.base.errors import OpforgeError, OutOfMemoryError
from opforge.native.memory.buffer cimport Buffer, set_var_free
from opforge.native.threads.random_streams cimport Stream, child_key, enter_stream, leave_stream
from opforge.native.threads.scheduler cimport *
from opforge.native.threads.spans cimport Span, close_span, open_span, site_of, watched

from opforge.native.threads.failures import kept, twin

__all__ = ["configure", "wait_all"]

#: Interval at which waits check for signals, in milliseconds.
SLICE_MS = 100
#: Seconds that interpreter exit waits for pushed tasks, and fork for tasks of other threads.
EXIT_SECONDS = 5.0
FORK_SECONDS = 10.0

_MESSAGES = {
    kDeadlock: "a task waits for its own completion: wait outside the task, "
    "or push the work that follows as another task",
    kDropped: "the task was dropped because the interpreter is exiting: call waitall() before the end "
    "of the program",
    kLostInFork: "a task that writes this array was pending in the parent when the process forked: "
    "call waitall() before the fork",
}

cdef Engine* _engine = NULL
cdef bint _configured = False
cdef bint _stopped = False


cdef void _release(void* held) noexcept nogil:
    """Drop the engine's reference to a callable or an exception."""
    # After the exit hook the interpreter may be half torn down, and the process is ending anyway.
    if _stopped:
        return
    cdef int state = 0
    if not enter_python(&state):
        return                         # leaked
    with gil:
        Py_XDECREF(<PyObject*>held)
    leave_python(state)


cdef void* new_var() except NULL:
    cdef void* var = _engine.new_var()
    if var == NULL:
        raise OutOfMemoryError("engine: no memory for a variable")
    return var


cdef void free_var(void* var) noexcept:
    if var != NULL:
        _engine.free_var(<Variable*>var)


cdef void* var_of(Buffer b) except NULL:
    if b.var == NULL:
        b.var = new_var()
    return b.var


cdef uint64_t version_of(void* var) noexcept nogil:
    return (<Variable*>var).version.load()


cdef bint is_idle(void* var) noexcept nogil:
    cdef Variable* variable = <Variable*>var
    return variable.pending.load() == 0 and not variable.failed.load()


cdef int _raise(ErrorPtr error) except -1:
    error.get().reported.store(True)
    if error.get().payload == NULL:
        status = error.get().status
        if status == kNoMemory:
            raise OutOfMemoryError("engine: no memory left to run a task, or to store the exception it raised")
        raise OpforgeError(
            "engine: " + _MESSAGES.get(status, f"a native task failed with status {status}")
        )
    raise twin(<tuple><PyObject*>error.get().payload)


cdef int _complete(Variable* var, bint write) except -1:
    """Wait until no task pushed so far conflicts with a read or write of `var`."""
    cdef Wait wait
    cdef int milliseconds = SLICE_MS
    cdef int status
    wait.var = var
    wait.write = write
    with nogil:
        status = _engine.begin_wait(&wait)
    if status == kTimeout:
        try:
            while status == kTimeout:
                with nogil:
                    status = _engine.wait_slice(&wait, milliseconds)
                PyErr_CheckSignals()
        finally:
            with nogil:
                _engine.end_wait(&wait)
    if status == kNoMemory:
        raise OutOfMemoryError("engine: no memory to check a wait inside a task for deadlock")
    if status == kDeadlock:
        raise OpforgeError("engine: " + _MESSAGES[kDeadlock])
    return 0


cdef int _wait(Variable* var, bint write) except -1:
    cdef ErrorPtr error
    _complete(var, write)
    if var.failed.load():
        error = _engine.error_of(var)
        if error.get() != NULL:
            _raise(error)
    return 0


cdef int wait_for_read(void* var) except -1:
    cdef Variable* variable = <Variable*>var
    if variable.pending_writes.load() == 0 and not variable.failed.load():
        return 0
    return _wait(variable, False)


cdef int wait_for_write(void* var) except -1:
    if is_idle(var):
        return 0
    return _wait(<Variable*>var, True)


cdef int wait_for_overwrite(void* var) except -1:
    if is_idle(var):
        return 0
    _complete(<Variable*>var, True)
    _engine.forget_error(<Variable*>var)
    return 0


cdef int push_native(task_fn fn, void* arg, release_fn release, void** read, int n_read,
                     void** write, int n_write, int priority) except -1:
    cdef ErrorPtr failure
    cdef int status
    if not _configured:
        configure()
    with nogil:
        status = _engine.push(fn, arg, release, <Variable**>read, n_read,
                              <Variable**>write, n_write, priority, &failure)
    if failure.get() != NULL:
        _raise(failure)
    if status == kNoMemory:
        raise OutOfMemoryError(
            f"engine.push: no memory for a task on {n_read + n_write} variables; it is not pushed"
        )
    if status != kDone:
        raise OpforgeError("engine: " + _MESSAGES[kDeadlock])
    return 0


cdef int _run_callable(void* arg, void** payload) noexcept nogil:
    cdef int status, state = 0
    if not enter_python(&state):
        return kNoMemory               # leaks the callable: dropping it needs the GIL
    with gil:
        status = _call(arg, payload)
    leave_python(state)
    return status


cdef int _call(void* arg, void** payload) noexcept:
    cdef tuple task = <tuple><PyObject*>arg
    cdef Stream stream = enter_stream(task[4])
    Py_XDECREF(<PyObject*>arg)  # the engine's reference; `task` holds its own until the return
    try:
        if watched:
            run_timed(task[0])
        else:
            task[0]()
        return kDone
    except BaseException as error:
        return _keep(error, task, payload)
    finally:
        leave_stream(stream)


cdef int run_timed(object fn) except -1:
    """Call a task inside a profiler span."""
    cdef Span span
    name = getattr(fn, "__qualname__", type(fn).__name__)
    open_span(&span, site_of("engine", name))
    try:
        fn()
    finally:
        close_span(&span)
    return 0


cdef int _keep(object error, tuple task, void** payload) noexcept:
    """Store the exception of a task; return the task's status."""
    try:
        stored = kept(error, task[0], f"{task[2]}:{task[3]}")
    except BaseException:              # out of memory: the waiting thread must still learn of it
        return kNoMemory
    Py_INCREF(stored)
    payload[0] = <void*>stored
    return kFailed


cdef int push_callable(object fn, object held, void** read, int n_read, void** write, int n_write,
                       int priority) except -1:
    caller = sys._getframe()
    cdef tuple task = (fn, held, caller.f_code.co_filename, caller.f_lineno, child_key())
    Py_INCREF(task)
    return push_native(_run_callable, <void*>task, _release, read, n_read, write, n_write, priority)


def wait_all():
    """Wait for all tasks pushed so far; raise the first exception not yet raised by a wait.

    Examples
    --------
    >>> wait_all()
    """
    cdef uint64_t target
    cdef int milliseconds = SLICE_MS
    cdef int status = kTimeout
    with nogil:
        target = _engine.last_seq()
    while status == kTimeout:
        with nogil:
            status = _engine.wait_all_slice(target, milliseconds)
        PyErr_CheckSignals()
    if status == kDeadlock:
        raise OpforgeError("engine: " + _MESSAGES[kDeadlock])
    cdef ErrorPtr error = _engine.take_first_error()
    if error.get() != NULL:
        _raise(error)


def configure(workers=None, naive=None):
    """Set the number of workers and the mode; both default to the environment's settings.

    Parameters
    ----------
    workers : int, optional
        Worker threads; default OPFORGE_CPU_WORKER_NTHREADS.
    naive : bool, optional
        Run each task at once on the pushing thread; default OPFORGE_ENGINE_TYPE == "NaiveEngine".

    Raises
    ------
    ValueError
        `workers` is less than 1.
    """
    global _configured
    if workers is None:
        workers = config.get_int("OPFORGE_CPU_WORKER_NTHREADS", 1)
    if naive is None:
        naive = config.get("OPFORGE_ENGINE_TYPE") == "NaiveEngine"
    if workers < 1:
        raise ValueError(f"engine.configure: got workers={workers!r}, expected at least 1")
    spin = config.get("OPFORGE_SPIN_US").strip()
    # On one CPU, a spinning thread only delays the thread it waits for.
    alone = len(os.sched_getaffinity(0)) == 1 if hasattr(os, "sched_getaffinity") else False
    cdef long spin_us = min(int(spin), 1_000_000) if spin.isdigit() and not alone else 0
    cdef int count = min(workers, 256)
    cdef bint inline_only = naive
    with nogil:
        _engine.configure(count, inline_only, spin_us)
    _configured = True


def _quiesce_before_fork():
    """Finish the tasks pushed so far, so that the child sees consistent data; then bar workers."""
    cdef bint done = False
    cdef uint64_t target = _engine.last_seq()
    end = time.monotonic() + FORK_SECONDS
    while not done:
        with nogil:
            done = _engine.others_done(target)
        if time.monotonic() > end:
            break
        if not done:
            time.sleep(0.001)
    with nogil:
        close_entry()


def _let_workers_in():
    """Reopen the engine after a fork, in parent and child."""
    open_entry()


def _stop_at_exit():
    """Run pushed tasks for up to EXIT_SECONDS, drop the rest and stop the workers.

    No Python callable starts after this. One that is still running is abandoned with its thread.
    """
    global _stopped
    cdef uint64_t target = _engine.last_seq()
    cdef int milliseconds = SLICE_MS
    cdef int running, live = 1
    cdef int status = kTimeout
    end = time.monotonic() + EXIT_SECONDS
    try:
        while status == kTimeout and time.monotonic() < end:
            with nogil:
                status = _engine.wait_all_slice(target, milliseconds)
            PyErr_CheckSignals()
    finally:
        with nogil:
            running = _engine.stop()
        end = time.monotonic() + 1.0
        while live > running and time.monotonic() < end:
            with nogil:
                live = _engine.live()
            if live > running:
                time.sleep(0.0005)
        _stopped = True


_engine = start_engine(_release)
set_var_free(free_var)
atexit.register(_stop_at_exit)
os.register_at_fork(
    before=_quiesce_before_fork, after_in_parent=_let_workers_in, after_in_child=_let_workers_in
)
