# Class labels and other indices, converted to int64.

from libc.stdint cimport int64_t

from opforge.native.array.array cimport Array

# Returns whether all values are in [0, length).
cdef bint are_within(const int64_t* values, Py_ssize_t n, Py_ssize_t length) noexcept nogil
# Returns `indices` as int64 in [0, length), themselves or a copy; `mode` is "clip", "wrap" or "raise".
# With `labels`, warns about classes out of range before clipping them.
cdef Array integer_indices(
    str function, Array indices, str mode, Py_ssize_t length, bint labels=*
)
# Returns for each column of `indices`, of shape (m, ...), the flat index of the slice of an array of `shape`
# that the column selects along the m leading axes.
cdef Array flat_indices(str function, Array indices, tuple shape)
