# Gathering and scatter-adding of slices of a table by index, divided among threads.

from libc.stdint cimport int64_t

cdef struct Slots:                     # slices of `table` selected by index
    const int64_t* indices             # `count` indices in [0, length), the same for each outer index
    char* table                        # (outer, length, inner)
    char* rows                         # (outer, count, inner)
    Py_ssize_t count, outer, length, inner
    Py_ssize_t row                     # bytes of a slice, above 0
    int code                           # element type
    int64_t* ends                      # for add_slices: end of each slice's rows in `order`
    int64_t* order                     # for add_slices: row numbers, sorted by slice

# rows[:, i] = table[:, indices[i]]
cdef void gather_slices(Slots* s) noexcept nogil
# table[:, j] = sum of all rows[:, i] with indices[i] == j, in the order of i; there is at least one row.
# `scratch` has scatter_scratch_size(s) elements, or is NULL if that is 0.
cdef void add_slices(Slots* s, int64_t* scratch) noexcept nogil
cdef Py_ssize_t scatter_scratch_size(Slots* s) noexcept nogil
