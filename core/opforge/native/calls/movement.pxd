# First and last steps shared by the calls that copy elements along a strided walk.

from opforge.native.array.array cimport Array
from opforge.native.loops.strided cimport Walk

# Checks the dtype of `out` and waits for both arrays.
cdef int begin_call(str function, Array x, Array out, int req) except -1
# Fills `steps` with the strides, in elements, of a C-contiguous array.
cdef void dense_steps(const Py_ssize_t* dims, int ndim, Py_ssize_t* steps) noexcept
# Fills `out` from `x` along `walk`, which starts at element `offset` of `x`.
cdef int fill_along(Array x, Py_ssize_t offset, Walk* walk, Array out, int req) except -1
