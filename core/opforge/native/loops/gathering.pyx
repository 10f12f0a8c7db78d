"""Gathering slices of a table by place, and adding slices where they belong.

Scattering adds in the order of the indices whatever the number of threads, so results repeat: a
thread has a part of the table. Long rows are sorted by the slice they belong to, so that every slice is
written once; for short ones each thread reads all indices.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from opforge.native.loops.elementwise cimport BINARY_add, run_binary
from opforge.native.memory.types cimport F32, F64
from opforge.native.threads.parallel cimport parallel_for

cdef enum:
    GRAIN_BYTES = 65536                # bytes moved that are worth a thread
    SHORT = 32                         # elements of a row that are not worth a call
    AHEAD = 4                          # rows that are fetched before they are copied
    LINE = 64                          # bytes of a cache line
    FETCHED = 16                       # lines of a row; what follows comes by itself

cdef extern from *:
    void prefetch "__builtin_prefetch"(const void* place) noexcept nogil

ctypedef fused Float:
    float
    double

ctypedef fused Item:                   # slices of one element, whatever it means
    uint32_t
    uint64_t


cdef void gather_items(
    Item* rows, const Item* table, const int64_t* at, Py_ssize_t count
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        rows[i] = table[at[i]]


cdef void fetch_row(const char* row, Py_ssize_t nbytes) noexcept nogil:
    cdef Py_ssize_t line
    for line in range(min(nbytes // LINE + 1, FETCHED)):
        prefetch(row + line * LINE)


cdef void gather_rows(
    char* rows, const char* table, const int64_t* at, Py_ssize_t count, Py_ssize_t row
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        if i + AHEAD < count:
            fetch_row(table + at[i + AHEAD] * row, row)
        memcpy(rows + i * row, table + at[i] * row, row)


cdef void gather_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Copy slices [begin, end) of the result, a run of those with one `outer` at a time."""
    cdef Slots* s = <Slots*>arg
    cdef Py_ssize_t outer = begin // s.count, first = begin % s.count, count
    cdef char* rows = s.rows + begin * s.row
    cdef const char* table
    while begin < end:
        count = min(s.count - first, end - begin)
        table = s.table + outer * s.length * s.row
        if s.row == sizeof(uint32_t):
            gather_items(<uint32_t*>rows, <const uint32_t*>table, s.at + first, count)
        elif s.row == sizeof(uint64_t):
            gather_items(<uint64_t*>rows, <const uint64_t*>table, s.at + first, count)
        else:
            gather_rows(rows, table, s.at + first, count, s.row)
        rows += count * s.row
        begin += count
        outer, first = outer + 1, 0


cdef void gather_slices(Slots* s) noexcept nogil:
    parallel_for(s.outer * s.count, GRAIN_BYTES // s.row + 1, gather_part, s)


cdef Py_ssize_t room_to_add(Slots* s) noexcept nogil:
    return 0 if s.row < LINE else s.length + s.count


cdef void add_slices(Slots* s, int64_t* room) noexcept nogil:
    cdef Py_ssize_t share = s.length * GRAIN_BYTES // (s.count * s.row) + 1
    if room == NULL:
        parallel_for(s.outer * s.length, share, add_short_part, s)
        return
    s.ends, s.order = room, room + s.length
    sort_rows(s)
    # A slice that is written and a row that is added are worth the same.
    parallel_for(s.outer * (s.length + s.count), GRAIN_BYTES // s.row + 1, add_sorted_part, s)


cdef void sort_rows(Slots* s) noexcept nogil:
    """Order the rows by slice, each slice's as they come, and find where those of a slice end."""
    cdef Py_ssize_t i, slot, before = 0, count
    memset(s.ends, 0, s.length * sizeof(int64_t))
    for i in range(s.count):
        s.ends[s.at[i]] += 1
    for slot in range(s.length):
        count = s.ends[slot]
        s.ends[slot] = before
        before += count
    for i in range(s.count):
        slot = s.at[i]
        s.order[s.ends[slot]] = i
        s.ends[slot] += 1


cdef Py_ssize_t first_slot(Slots* s, Py_ssize_t unit) noexcept nogil:
    """The first slice whose work, its rows and then itself, ends at or behind a unit."""
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
    cdef Py_ssize_t units = s.length + s.count, outer, start, slot, stop
    for outer in range(begin // units, (end - 1) // units + 1):
        start = outer * units
        slot = first_slot(s, max(begin - start, 0))
        stop = first_slot(s, min(end - start, units))
        add_sorted(s, outer, slot, stop)


cdef void add_sorted(Slots* s, Py_ssize_t outer, Py_ssize_t slot, Py_ssize_t stop) noexcept nogil:
    """Write slices [slot, stop) of one part of the table."""
    cdef const char* rows = s.rows + outer * s.count * s.row
    cdef char* slice = s.table + (outer * s.length + slot) * s.row
    cdef Py_ssize_t at = s.ends[slot - 1] if slot > 0 else 0, end
    while slot < stop:
        end = s.ends[slot]
        if at == end:
            memset(slice, 0, s.row)
        else:
            fetch_ahead(s, rows, at)
            memcpy(slice, rows + s.order[at] * s.row, s.row)
            at += 1
        while at < end:
            fetch_ahead(s, rows, at)
            add_row(s, slice, rows + s.order[at] * s.row)
            at += 1
        slice += s.row
        slot += 1


cdef inline void fetch_ahead(Slots* s, const char* rows, Py_ssize_t at) noexcept nogil:
    if at + AHEAD < s.count:
        fetch_row(rows + s.order[at + AHEAD] * s.row, s.row)


cdef void add_short_part(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Add what belongs to slices [begin, end) of the whole table to zeros."""
    cdef Slots* s = <Slots*>arg
    cdef Py_ssize_t outer, start
    memset(s.table + begin * s.row, 0, (end - begin) * s.row)
    for outer in range(begin // s.length, (end - 1) // s.length + 1):
        start = outer * s.length
        add_run(s, outer, max(begin - start, 0), min(end - start, s.length))


cdef void add_run(Slots* s, Py_ssize_t outer, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
    """Add the rows that belong to slices [low, high) of one part of the table."""
    cdef char* table = s.table + outer * s.length * s.row
    cdef const char* rows = s.rows + outer * s.count * s.row
    cdef Py_ssize_t i
    for i in range(s.count):
        if low <= s.at[i] < high:
            add_row(s, table + s.at[i] * s.row, rows + i * s.row)


cdef inline void add_row(Slots* s, char* slice, const char* row) noexcept nogil:
    if s.inner < SHORT and s.code == F32:
        add_few(<float*>slice, <const float*>row, s.inner)
    elif s.inner < SHORT and s.code == F64:
        add_few(<double*>slice, <const double*>row, s.inner)
    else:
        run_binary(BINARY_add, s.code, slice, row, slice, s.inner, 0)


cdef inline void add_few(Float* slice, const Float* row, Py_ssize_t inner) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(inner):
        slice[k] += row[k]
