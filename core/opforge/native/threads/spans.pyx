"""Time spans of calls on threads.

Code that runs an operator opens a span before it and closes it afterwards if `watched` asks for it;
that test is the profiler's only cost while it is off. A closed span updates the row of its site at
once, so the table is complete however long a program runs, and leaves a 40-byte record for the trace.
The newest million records are kept until they are taken. Nothing here runs without the GIL.
"""

cimport cython
from cpython.mem cimport PyMem_RawFree, PyMem_RawRealloc
from libc.stdint cimport int64_t, uint64_t

from opforge.native.memory.buffer cimport live_bytes

import os
import threading
import time

import numpy as np

from opforge.base.errors import OutOfMemoryError

cdef extern from *:
    """
    #include "opforge_tls.h"
    #include "opforge_ticks.h"
    static __thread void* opforge_innermost OPFORGE_FROM_START = 0;
    static __thread int opforge_thread OPFORGE_FROM_START = 0;
    """
    void* opforge_innermost
    int opforge_thread
    uint64_t opforge_nanoseconds() nogil
    uint64_t opforge_ticks(bint is_steady) nogil
    bint opforge_counter_is_steady() nogil

__all__ = [
    "Site", "Stopwatch", "clear_table", "names_of_watched", "site", "table", "take_records", "watch",
]

cdef enum:
    FIRST_CAPACITY = 1 << 12
    MAX_CAPACITY = 1 << 20             # 40 MiB
    FIRST_THREAD = 1

cdef struct Record:
    uint64_t begin, end
    int64_t value                      # value of a counter or marker; else the arrays' bytes afterwards, or -1
    int64_t site
    int64_t thread

cdef bint is_steady = opforge_counter_is_steady()
# Ticks and the system's clocks at one moment; a second reading gives the length of a tick.
cdef uint64_t first_ticks = 0, first_nanoseconds = 0
cdef int64_t first_wall = 0

cdef list sites = []
cdef dict sites_by_key = {}
cdef dict authors = {}                 # keyed by operator name
cdef list threads = []                 # (native id, name), indexed by thread number

cdef Record* records = NULL            # a ring buffer once `capacity` has reached its maximum
cdef Py_ssize_t capacity = 0            # a power of two
cdef uint64_t n_records = 0            # number written since records were last taken


@cython.final
cdef class Site:
    """A timed item: an operator's forward or backward, a task, a counter, ...; made by `site`."""

    def note(self, int64_t value):
        """Set a counter, or place a marker."""
        if watched & OBJECTS:
            self.add(value)
            write_record(self, ticks(), ticks(), value)

    cdef int add(self, int64_t amount) except -1:
        if self.count == 0 or amount < self.least:
            self.least = amount
        if self.count == 0 or amount > self.most:
            self.most = amount
        self.count += 1
        self.total += amount
        return 0


cdef Site site_of(str category, str name, str style="span"):
    cdef tuple key = (category, name, style)
    cdef Site found = sites_by_key.get(key)
    if found is None:
        found = Site.__new__(Site)
        found.category, found.name, found.style = key
        found.index = len(sites)
        sites.append(found)
        sites_by_key[key] = found
    return found


cdef Site author_of(str name):
    cdef Site found = authors.get(name)
    if found is None:
        found = authors[name] = site_of("Custom Operator", name + "::pure_python")
        found.is_author, found.within = True, {}
    return found


def site(str category, str name, str style="span"):
    """Return the `Site` of a category and name, the same object on every call."""
    return site_of(category, name, style)


cdef Site memory_site = site_of("Device Storage", "Memory: cpu/0", "counter")
cdef Py_ssize_t last_live = -1


cdef uint64_t ticks() noexcept nogil:
    return opforge_ticks(is_steady)


# -- spans ------------------------------------------------------------------------------------


cdef void open_span(Span* span, Site site) noexcept:
    global opforge_innermost
    span.outer = <Span*>opforge_innermost
    opforge_innermost = span
    span.site = <void*>site
    span.author = <void*>site if site.is_author else NULL if span.outer == NULL else span.outer.author
    span.inner = 0
    span.live = live_bytes()
    span.begin = ticks()


cdef int close_span(Span* span) except -1:
    global opforge_innermost
    cdef uint64_t end = ticks()
    cdef int64_t length = <int64_t>(end - span.begin)
    cdef Py_ssize_t live = live_bytes()
    cdef Site site = <Site>span.site
    cdef Site author
    if length < 0:                     # time-stamp counters of two cores differ
        length, end = 0, span.begin
    opforge_innermost = span.outer
    if span.outer != NULL:
        if span.outer.site == span.site:   # a gradient rule of a single operator: already recorded
            span.outer.inner += span.inner
            return 0
        span.outer.inner += length
        if span.outer.author != NULL:
            author = <Site>span.outer.author
            site = called_by(author, site)
    site.own += length - <int64_t>span.inner
    site.memory += live - span.live
    site.add(length - <int64_t>span.inner if site.is_author else length)
    if watched & MEMORY:
        note_memory(live)
    return write_record(site, span.begin, end, live if watched & MEMORY else -1)


cdef Site called_by(Site author, Site site):
    """Return the site of a call made from a custom operator's Python code."""
    cdef Site found = site if site.is_author else author.within.get(site)
    if found is None:
        name = author.name[:-len("pure_python")] + site.name
        found = author.within[site] = site_of("Custom Operator", name)
    return found


cdef int note_memory(Py_ssize_t live) except -1:
    global last_live
    if live != last_live:
        last_live = live
        memory_site.add(live)
    return 0


cdef class Stopwatch:
    """Timer with `start` and `stop`, which may be called anywhere; also a context manager.

    Parameters
    ----------
    site : Site
    needs : int, optional
        Categories to be timed in; by default, user-defined tasks.

    Examples
    --------
    >>> with Stopwatch(site("io", "next"), names_of_watched()["interface"]):
    ...     pass
    """

    cdef Site site
    cdef int needs
    cdef uint64_t begin                # 0: not running

    def __init__(self, Site site not None, int needs=OBJECTS):
        self.site, self.needs = site, needs

    def start(self):
        """Start timing; discard an earlier start without a stop."""
        self.begin = ticks() if watched & self.needs else 0

    def stop(self):
        """Add the time since `start` to the site; do nothing if not started."""
        cdef uint64_t begin = self.begin, end
        if begin == 0:
            return
        self.begin, end = 0, ticks()
        end = max(begin, end)
        self.site.add(end - begin)
        write_record(self.site, begin, end, -1)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.stop()


# -- records ----------------------------------------------------------------------------------


cdef int write_record(Site site, uint64_t begin, uint64_t end, int64_t value) except -1:
    global n_records
    if opforge_thread == 0:
        number_thread()                # runs Python: another thread may take the records meanwhile
    if n_records >= <uint64_t>capacity and capacity < MAX_CAPACITY:
        grow()
    cdef Record* record = records + (n_records & <uint64_t>(capacity - 1))
    record.begin, record.end, record.value = begin, end, value
    record.site, record.thread = site.index, opforge_thread - FIRST_THREAD
    n_records += 1
    return 0


cdef int grow() except -1:
    """Double the capacity for records."""
    global records, capacity
    cdef Py_ssize_t count = max(2 * capacity, FIRST_CAPACITY)
    cdef void* memory = PyMem_RawRealloc(records, count * sizeof(Record))
    if memory == NULL:
        raise OutOfMemoryError(f"profiler: no memory for {count} records; call dump() more often, or stop profiling")
    records, capacity = <Record*>memory, count
    return 0


cdef int number_thread() except -1:
    global opforge_thread
    # Not threading.enumerate: this thread may hold its lock, as a garbage collection can call operators.
    known = threading._active.get(threading.get_ident())
    threads.append((threading.get_native_id(), "engine worker" if known is None else known.name))
    opforge_thread = len(threads) - 1 + FIRST_THREAD
    return 0


def take_records():
    """Return the newest records and clear them.

    Returns
    -------
    tuple
        Number of records lost because the ring was full; NumPy arrays of start times (nanoseconds
        since 1970), durations (nanoseconds), site indices, thread indices and values; all sites;
        and a native id and a name for each thread.
    """
    global n_records, records, capacity
    cdef Record* snapshot = records
    cdef uint64_t mask = <uint64_t>(capacity - 1), lost
    cdef Py_ssize_t count = min(<Py_ssize_t>n_records, capacity)
    lost = n_records - <uint64_t>count
    records, capacity, n_records = NULL, 0, 0      # first, because what follows runs Python
    try:
        return columns_of(snapshot, mask, lost, count)
    finally:
        PyMem_RawFree(snapshot)


cdef tuple columns_of(Record* snapshot, uint64_t mask, uint64_t lost, Py_ssize_t count):
    """Convert a ring of records to the return value of `take_records`."""
    cdef Py_ssize_t position
    cdef int64_t[::1] begin = np.empty(count, np.int64), length = np.empty(count, np.int64)
    cdef int64_t[::1] site = np.empty(count, np.int64), thread = np.empty(count, np.int64)
    cdef int64_t[::1] value = np.empty(count, np.int64)
    cdef double tick = tick_length()
    cdef Record* record
    for position in range(count):
        record = snapshot + ((lost + <uint64_t>position) & mask)
        begin[position] = first_wall + <int64_t>(<double><int64_t>(record.begin - first_ticks) * tick)
        length[position] = <int64_t>(<double>(record.end - record.begin) * tick)
        site[position], thread[position] = record.site, record.thread
        value[position] = record.value
    return (
        int(lost), np.asarray(begin), np.asarray(length), np.asarray(site), np.asarray(thread),
        np.asarray(value), list(sites), list(threads),
    )


cdef double tick_length() except -1:
    """Return the nanoseconds per tick."""
    cdef uint64_t passed = ticks() - first_ticks
    return <double>(opforge_nanoseconds() - first_nanoseconds) / <double>max(passed, 1)


# -- the table, and what is watched -----------------------------------------------------------


def table():
    """Return one row per recorded site.

    Returns
    -------
    list of tuple
        The site; the number of calls; total, least and most nanoseconds, and those outside nested
        spans; growth of the arrays' memory over all calls, in bytes. For counters, values instead
        of times.
    """
    cdef Site item
    cdef double tick = tick_length(), unit
    cdef list rows = []
    for item in sites:
        if item.count:
            unit = 1.0 if item.style == "counter" else tick
            rows.append((
                item, item.count, item.total * unit, item.least * unit, item.most * unit,
                item.own * tick, item.memory,
            ))
    return rows


def clear_table():
    """Reset the counts of all sites."""
    cdef Site item
    global last_live
    last_live = -1
    for item in sites:
        item.count = item.total = item.least = item.most = item.own = item.memory = 0


def watch(int what, bint by_node=False):
    """Set the categories to time, a sum of this module's constants; return the previous value.

    With `by_node`, operators of graphs get a row for each node, whose category is the operator.
    """
    global watched
    before = watched
    watched = what | NODES if by_node else what
    return before


def names_of_watched():
    """Return the constants for `watch` by name."""
    return {
        "calls": CALLS, "graphs": GRAPHS, "interface": INTERFACE, "memory": MEMORY,
        "objects": OBJECTS,
    }


def _forget_parent():
    """Reset the state in a forked child: nothing is timed, and no threads are known."""
    global watched, n_records, opforge_thread
    watched, n_records, opforge_thread = 0, 0, 0
    threads.clear()
    clear_table()


cdef int synchronize() except -1:
    global first_ticks, first_nanoseconds, first_wall
    first_ticks, first_nanoseconds, first_wall = ticks(), opforge_nanoseconds(), time.time_ns()
    return 0


synchronize()
os.register_at_fork(after_in_child=_forget_parent)
