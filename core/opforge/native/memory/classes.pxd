# Size classes of blocks: four per doubling, 2^k * (4, 5, 6, 7) / 4, starting at 64 bytes.

from libc.stdint cimport uint64_t

cdef extern from *:
    int clz64 "__builtin_clzll"(uint64_t x) nogil

cdef enum:
    N_CLASSES = 4 * 48
    MIN_SHIFT = 6                      # smallest class: 64 bytes


# Return the smallest class that holds `nbytes`.
cdef inline int class_of(Py_ssize_t nbytes) noexcept nogil:
    cdef uint64_t n
    cdef int top
    if nbytes <= 64:
        return 0
    n = <uint64_t>(nbytes - 1)
    top = 63 - clz64(n)                                     # 2^top <= n < 2^(top+1)
    return 4 * (top - MIN_SHIFT) + <int>((n >> (top - 2)) & 3) + 1


# Return the bytes of class `index`; the inverse of `class_of`.
cdef inline Py_ssize_t class_bytes(int index) noexcept nogil:
    return (<Py_ssize_t>(4 + (index & 3))) << (MIN_SHIFT + (index >> 2) - 2)
