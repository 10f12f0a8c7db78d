# Class numbers and other indices, read as int64.

from opforge.native.array.array cimport Array

# A copy of `indices` as int64 in [0, length); `mode` is "clip", "wrap" or "raise".
# With `labels`, classes out of range are warned of before they are clipped.
cdef Array whole_indices(
    str function, Array indices, str mode, Py_ssize_t length, bint labels=*
)
# Which slice of an array of `shape` each column of `indices`, of shape (m, ...), names by its m leading axes.
cdef Array flat_places(str function, Array indices, tuple shape)
