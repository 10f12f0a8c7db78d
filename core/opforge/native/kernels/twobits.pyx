"""Compression of gradients to two bits per value, and decompression.

A tile of values is converted to one code per byte, then to packed words. Four codes in a 32-bit integer are packed
into a byte by one multiplication.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

from opforge.native.kernels.twobits cimport opforge_twobits_table

cdef enum:
    TILE = 512                         # values
    BYTES = 128                        # packed size of a tile
    LANES = 16                         # values in a word


cdef void pack(
    const float* x, float* residual, uint8_t* words, float threshold, Py_ssize_t n
) noexcept nogil:
    cdef uint32_t[BYTES] fours
    cdef uint8_t* codes = <uint8_t*>fours
    cdef Py_ssize_t i, count
    cdef float total
    cdef int up, down
    while n > 0:
        count = min(n, <Py_ssize_t>TILE)
        memset(codes + count, 0, TILE - count)
        for i in range(count):
            total = residual[i] + x[i]
            up, down = total >= threshold, total <= -threshold
            codes[i] = 3 * up + 2 * down
            residual[i] = total - <float>(up - down) * threshold
        for i in range((count + LANES - 1) // LANES * 4):
            words[i] = <uint8_t>((fours[i] * <uint32_t>0x40100401) >> 24)  # codes do not overlap
        x, residual, words, n = x + count, residual + count, words + BYTES, n - count


cdef void unpack(
    const uint8_t* words, float* y, float threshold, int adds, Py_ssize_t n
) noexcept nogil:
    cdef uint32_t[BYTES] fours
    cdef const uint8_t* codes = <const uint8_t*>fours
    cdef Py_ssize_t i, count
    cdef uint32_t b
    while n > 0:
        count = min(n, <Py_ssize_t>TILE)
        for i in range((count + 3) // 4):
            b = words[i]
            fours[i] = (b >> 6) | (b & 48) << 4 | (b & 12) << 14 | (b & 3) << 24
        if adds:
            for i in range(count):
                y[i] += <float>sign_of(codes[i]) * threshold
        else:
            for i in range(count):
                y[i] = <float>sign_of(codes[i]) * threshold
        words, y, n = words + BYTES, y + count, n - count


cdef inline int sign_of(int code) noexcept nogil:
    return (code >> 1) * (2 * (code & 1) - 1)


cdef opforge_twobits_table table
table.pack = pack
table.unpack = unpack

TABLE = PyCapsule_New(&table, b"opforge.kernels.twobits", NULL)
