# OpenBLAS through function pointers; single-threaded, because opforge divides the work itself.

ctypedef void (*sgemm_fn)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int) noexcept nogil
ctypedef void (*dgemm_fn)(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*, int) noexcept nogil
ctypedef void (*sgemv_fn)(int, int, int, int, float, const float*, int, const float*, int, float, float*, int) noexcept nogil
ctypedef void (*dgemv_fn)(int, int, int, int, double, const double*, int, const double*, int, double, double*, int) noexcept nogil
ctypedef float (*sdot_fn)(int, const float*, int, const float*, int) noexcept nogil
ctypedef double (*ddot_fn)(int, const double*, int, const double*, int) noexcept nogil

cdef enum:
    ROW_MAJOR = 101
    NO_TRANS = 111
    TRANS = 112

cdef struct Blas:
    sgemm_fn sgemm
    dgemm_fn dgemm
    sgemv_fn sgemv
    dgemv_fn dgemv
    sdot_fn sdot
    ddot_fn ddot

cdef Blas* blas() except NULL          # loads the library on the first call; requires the GIL
cdef Blas* loaded_blas() noexcept nogil   # NULL if the library is not loaded yet
cdef void* find_routine(const char* name) noexcept nogil   # by its Fortran name; NULL if unknown or not loaded

# To be called around each use of a function. If enter_blas returns False, there is no memory for the
# thread-local data of OpenBLAS, and the function must not be called.
cdef bint enter_blas() noexcept nogil
cdef void leave_blas() noexcept nogil
