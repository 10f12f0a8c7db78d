# Copies between two strided walks over the same index space, the basis of all data movement.

cdef enum:
    WALK_NDIM = 64                     # tile and repeat double the number of dimensions

cdef struct Walk:
    int ndim
    Py_ssize_t dims[WALK_NDIM]
    Py_ssize_t src[WALK_NDIM]          # strides in elements; 0 repeats, negative reverses
    Py_ssize_t dst[WALK_NDIM]

cdef void walk_start(Walk* walk) noexcept nogil
cdef void walk_push(Walk* walk, Py_ssize_t dim, Py_ssize_t src, Py_ssize_t dst) noexcept nogil
# Copies along `walk`, divided among threads. `src` and `dst` point to index (0, ..., 0) and must not overlap.
cdef void strided_copy(const void* src, void* dst, int itemsize, Walk* walk) noexcept nogil
