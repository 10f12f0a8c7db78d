# Time spans of calls on threads, for the profiler. The GIL guards all of it.

from libc.stdint cimport int64_t, uint64_t

cdef enum:
    CALLS = 1                          # individually called operators, and their gradients
    GRAPHS = 2                         # operators of compiled graphs
    INTERFACE = 4                      # non-operators: key-value stores, data loading, ...
    MEMORY = 8                         # memory used by arrays
    OBJECTS = 16                       # user-defined tasks, counters, ...
    NODES = 32                         # name the operators of graphs by their nodes

cdef int watched                       # bit mask of the categories being timed

cdef class Site:                       # a row of the table, identified by category and name
    cdef readonly str category
    cdef readonly str name
    cdef readonly str style            # its display form in a trace
    cdef Py_ssize_t index              # among all sites
    cdef bint is_author                # a row for a custom operator's Python time, excluding what it calls
    cdef dict within                   # sites called from such Python code, by the called site
    cdef int64_t count, total, least, most     # ticks; values for counters
    cdef int64_t own                   # ticks outside nested spans
    cdef int64_t memory                # growth of the arrays' memory, in bytes
    cdef int add(self, int64_t amount) except -1

cdef struct Span:                      # a running call; lives on the stack of its function
    uint64_t begin
    uint64_t inner                     # ticks of completed nested spans
    Py_ssize_t live
    Span* outer
    void* site
    void* author                       # innermost site of custom Python code, or NULL

cdef Site site_of(str category, str name, str style=*)         # one for each name; never freed
cdef Site author_of(str name)                                   # for an operator written in Python
# Each begin needs an end on the same thread, properly nested, also after an exception.
cdef void open_span(Span* span, Site site) noexcept
cdef int close_span(Span* span) except -1
