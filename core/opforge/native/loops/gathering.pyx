"""Gathering and scatter-adding of slices of a table by index.

Each thread writes its own part of the table and adds in the order of the indices, so results do not depend
on the number of threads. Long rows are first sorted by slice, so that each slice is written once; for
short rows each thread reads all indices.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from opforge.native.loops.elementwise cimport BINARY_add, run_binary
from opforge.native.memory.types cimport F32, F64
from opforge.native.threads.parallel cimport parallel_for

cdef enum:
    GRAIN_BYTES = 65536                # minimum bytes moved per thread
    READ = 16                          # bytes that are moved in the time of one read at a random position
    SHORT = 32                         # shorter rows are added by an inline loop
    AHEAD = 4                          # prefetch distance in rows
    LINE = 64                          # bytes of a cache line
    MAX_LINES = 16                     # lines of a row to prefetch; the hardware prefetches the rest

cdef extern from *:
    void prefetch "__builtin_prefetch"(const void* address) noexcept nogil

ctypedef fused Float:
    float
    double

ctypedef fused Item:                   # slices of one element, regardless of type
    uint32_t
    uint64_t


cdef void gather_items(
    Item* rows, const Item* table, const int64_t* indices, Py_ssize_t count
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        rows[i] = table[indices[i]]


cdef void prefetch_row(const char* row, Py_ssize_t nbytes) noexcept nogil:
    cdef Py_ssize_t line
    for line in range(min(nbytes // LINE + 1, MAX_LINES)):
        prefetch(row + line * LINE)


cdef void gather_rows(
    char* rows, const char* table, const int64_t* indices, Py_ssize_t count, Py_ssize_t row
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        if i + AHEAD < count:
            prefetch_row(table + indices[i + AHEAD] * row, row)
        memcpy(rows + i * row, table + indices[i] * row, row)


cdef void gather_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Copy slices [begin, end) of the result, in runs with the same `outer` index."""
    cdef Slots* s = <Slots*>arg
    cdef Py_ssize_t outer = begin // s.count, first = begin % s.count, count
    cdef char* rows = s.rows + begin * s.row
    cdef const char* table
    while begin < end:
        count = min(s.count - first, end - begin)
        table = s.table + outer * s.length * s.row
        if s.row == sizeof(uint32_t):
            gather_items(<uint32_t*>rows, <const uint32_t*>table, s.indices + first, count)
        elif s.row == sizeof(uint64_t):
            gather_items(<uint64_t*>rows, <const uint64_t*>table, s.indices + first, count)
        else:
            gather_rows(rows, table, s.indices + first, count, s.row)
        rows += count * s.row
        begin += count
        outer, first = outer + 1, 0


cdef void gather_slices(Slots* s) noexcept nogil:
    parallel_for(s.outer * s.count, GRAIN_BYTES // max(s.row, <Py_ssize_t>READ) + 1, gather_part, s)


cdef Py_ssize_t scatter_scratch_size(Slots* s) noexcept nogil:
    return 0 if s.row < LINE else s.length + s.count


cdef void add_slices(Slots* s, int64_t* scratch) noexcept nogil:
    cdef Py_ssize_t grain = s.length * GRAIN_BYTES // (s.count * s.row) + 1
    if scratch == NULL:
        parallel_for(s.outer * s.length, grain, add_short_part, s)
        return
    s.ends, s.order = scratch, scratch + s.length
    sort_rows(s)
    # Writing a slice and adding a row cost the same.
    parallel_for(s.outer * (s.length + s.count), GRAIN_BYTES // s.row + 1, add_sorted_part, s)


cdef void sort_rows(Slots* s) noexcept nogil:
    """Sort the rows by slice, stably, and compute the end of each slice's rows."""
    cdef Py_ssize_t i, slice_index, before = 0, count
    memset(s.ends, 0, s.length * sizeof(int64_t))
    for i in range(s.count):
        s.ends[s.indices[i]] += 1
    for slice_index in range(s.length):
        count = s.ends[slice_index]
        s.ends[slice_index] = before
        before += count
    for i in range(s.count):
        slice_index = s.indices[i]
        s.order[s.ends[slice_index]] = i
        s.ends[slice_index] += 1


cdef Py_ssize_t first_slice(Slots* s, Py_ssize_t unit) noexcept nogil:
    """Return the first slice whose work, its rows followed by itself, ends at or after a unit."""
    cdef Py_ssize_t low = 0, high = s.length, middle
    while low < high:
        middle = (low + high) // 2
        if s.ends[middle] + middle < unit:
            low = middle + 1
        else:
            high = middle
    return low


cdef void add_sorted_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Write the slices whose work ends in [begin, end)."""
    cdef Slots* s = <Slots*>arg
    cdef Py_ssize_t units = s.length + s.count, outer, start, slice_index, stop
    for outer in range(begin // units, (end - 1) // units + 1):
        start = outer * units
        slice_index = first_slice(s, max(begin - start, 0))
        stop = first_slice(s, min(end - start, units))
        add_sorted(s, outer, slice_index, stop)


cdef void add_sorted(Slots* s, Py_ssize_t outer, Py_ssize_t slice_index, Py_ssize_t stop) noexcept nogil:
    """Write slices [slot, stop) of one part of the table."""
    cdef const char* rows = s.rows + outer * s.count * s.row
    cdef char* slice = s.table + (outer * s.length + slice_index) * s.row
    cdef Py_ssize_t position = s.ends[slice_index - 1] if slice_index > 0 else 0, end
    while slice_index < stop:
        end = s.ends[slice_index]
        if position == end:
            memset(slice, 0, s.row)
        else:
            prefetch_ahead(s, rows, position)
            memcpy(slice, rows + s.order[position] * s.row, s.row)
            position += 1
        while position < end:
            prefetch_ahead(s, rows, position)
            add_row(s, slice, rows + s.order[position] * s.row)
            position += 1
        slice += s.row
        slice_index += 1


cdef inline void prefetch_ahead(Slots* s, const char* rows, Py_ssize_t position) noexcept nogil:
    if position + AHEAD < s.count:
        prefetch_row(rows + s.order[position + AHEAD] * s.row, s.row)


cdef void add_short_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Zero slices [begin, end) of the entire table and add their rows."""
    cdef Slots* s = <Slots*>arg
    cdef Py_ssize_t outer, start
    memset(s.table + begin * s.row, 0, (end - begin) * s.row)
    for outer in range(begin // s.length, (end - 1) // s.length + 1):
        start = outer * s.length
        add_run(s, outer, max(begin - start, 0), min(end - start, s.length))


cdef void add_run(Slots* s, Py_ssize_t outer, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
    """Add the rows of slices [low, high) of one part of the table."""
    cdef char* table = s.table + outer * s.length * s.row
    cdef const char* rows = s.rows + outer * s.count * s.row
    cdef Py_ssize_t i
    for i in range(s.count):
        if low <= s.indices[i] < high:
            add_row(s, table + s.indices[i] * s.row, rows + i * s.row)


cdef inline void add_row(Slots* s, char* slice, const char* row) noexcept nogil:
    if s.inner < SHORT and s.code == F32:
        add_short_row(<float*>slice, <const float*>row, s.inner)
    elif s.inner < SHORT and s.code == F64:
        add_short_row(<double*>slice, <const double*>row, s.inner)
    else:
        run_binary(BINARY_add, s.code, slice, row, slice, s.inner, 0)


cdef inline void add_short_row(Float* slice, const Float* row, Py_ssize_t inner) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(inner):
        slice[k] += row[k]
