# Copies between two strided walks over the same index space: the engine of all data movement.

cdef enum:
    WALK_NDIM = 64                     # tile and repeat double the dimensions

cdef struct Walk:
    int ndim
    Py_ssize_t dims[WALK_NDIM]
    Py_ssize_t src[WALK_NDIM]          # steps in elements; 0 repeats, negative goes backwards
    Py_ssize_t dst[WALK_NDIM]

cdef void walk_start(Walk* walk) noexcept nogil
cdef void walk_push(Walk* walk, Py_ssize_t dim, Py_ssize_t src, Py_ssize_t dst) noexcept nogil
# Simplifies `walk` and copies, split over threads. `src` and `dst` point at index (0, ..., 0) and must not overlap.
cdef void strided_copy(const void* src, void* dst, int itemsize, Walk* walk) noexcept nogil
