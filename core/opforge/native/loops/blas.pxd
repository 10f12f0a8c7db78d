# OpenBLAS through function pointers; one thread each, opforge splits the work itself.

ctypedef void (*sgemm_fn)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int) noexcept nogil
ctypedef void (*dgemm_fn)(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*, int) noexcept nogil
ctypedef void (*sgemv_fn)(int, int, int, int, float, const float*, int, const float*, int, float, float*, int) noexcept nogil
ctypedef void (*dgemv_fn)(int, int, int, int, double, const double*, int, const double*, int, double, double*, int) noexcept nogil

cdef enum:
    ROW_MAJOR = 101
    NO_TRANS = 111
    TRANS = 112

cdef struct Blas:
    sgemm_fn sgemm
    dgemm_fn dgemm
    sgemv_fn sgemv
    dgemv_fn dgemv

cdef Blas* blas() except NULL          # loads the library at the first call; needs the GIL
cdef Blas* loaded_blas() noexcept nogil   # with or without the GIL; NULL where it is not loaded yet

# Around each call. False, and no call: there is no memory for what OpenBLAS keeps for each thread.
cdef bint enter_blas() noexcept nogil
cdef void leave_blas() noexcept nogil
