# What every call that moves elements along a strided walk begins and ends with.

from opforge.native.array.array cimport Array
from opforge.native.loops.strided cimport Walk

# Checks the type of `out` and waits for both arrays.
cdef int begin_call(str function, Array x, Array out, int req) except -1
# Steps in elements of a C-contiguous array.
cdef void dense_steps(const Py_ssize_t* dims, int ndim, Py_ssize_t* steps) noexcept
# Fills `out` along `walk`, which starts at element `offset` of `x`.
cdef int fill_along(Array x, Py_ssize_t offset, Walk* walk, Array out, int req) except -1
