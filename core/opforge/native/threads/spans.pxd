# Spans of time: which calls ran when, on which thread, for the profiler. The GIL guards all of it.

from libc.stdint cimport int64_t, uint64_t

cdef enum:
    CALLS = 1                          # operators that are called one by one, and their gradients
    GRAPHS = 2                         # operators of compiled graphs
    INTERFACE = 4                      # what is no operator: key-value stores, loading of data, ...
    MEMORY = 8                         # how much memory arrays have
    OBJECTS = 16                       # a program's own tasks, counters, ...

cdef int watched                       # which of these are timed now; 0: nothing is

cdef class Site:                       # a row of the table: what is timed, by category and name
    cdef readonly str category
    cdef readonly str name
    cdef readonly str style            # how a trace shows it
    cdef Py_ssize_t index              # among all sites
    cdef bint is_author                # time in an author's Python, which its row has without what that calls
    cdef dict within                   # sites of what such an author calls, by their own
    cdef int64_t count, total, least, most     # ticks; of counters, values
    cdef int64_t own                   # ticks outside of spans within
    cdef int64_t memory                # bytes that arrays have more after it
    cdef int add(self, int64_t amount) except -1

cdef struct Span:                      # a call under way; lies on the stack of its function
    uint64_t begin
    uint64_t inner                     # ticks of complete spans within
    Py_ssize_t live
    Span* outer
    void* site
    void* author                       # the innermost author's site, or NULL

cdef Site site_of(str category, str name, str style=*)         # one for each; lives for ever
cdef Site author_of(str name)                                   # of an operator written in Python
# The second follows the first on the same thread, in reverse order of the first, whatever was raised.
cdef void open_span(Span* span, Site site) noexcept
cdef int close_span(Span* span) except -1
