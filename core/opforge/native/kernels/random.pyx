"""Random numbers of several distributions, computed in batches from a counter-based generator.

Batch i always fills the same elements, so streams do not depend on the number of threads. A batch is always computed
in full on the stack and then copied, so streams do not depend on array lengths either.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport cos, nextafter, nextafterf, sin, sqrt, sqrtf
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef extern from "opforge_vector_f64.h" nogil:
    float of_log_f32(float x)
    double of_log_f64(double x)

cdef extern from "opforge_trigonometry.h" nogil:
    double of_cos_wide(double x)       # branch-free, accurate to float32
    double of_sin_wide(double x)

cdef enum:
    HALF = 32                          # pairs of words in a batch

cdef double TWO_PI = 6.283185307179586

ctypedef fused Real:
    float
    double


cdef inline void fill_unit(Real* y, uint64_t key, uint64_t batch) noexcept nogil:
    """Fill a batch with numbers in [0, 1): 24 random bits for float32, 53 for float64."""
    cdef uint32_t[OPFORGE_BATCH] words
    cdef int k
    opforge_philox(key, batch, 0, words)
    if Real is float:
        for k in range(OPFORGE_BATCH):
            y[k] = <float>(<int>(words[k] >> 8)) * <float>5.9604644775390625e-08
    else:
        for k in range(HALF):
            y[k] = (<double>(words[k] >> 5) * 67108864.0 + <double>(words[k + HALF] >> 6)) * 1.1102230246251565e-16


cdef inline Py_ssize_t copy_batch(Real* y, const Real* values, Py_ssize_t count) noexcept nogil:
    """Copy at largest `count` elements of a batch; return the number of copied elements."""
    cdef Py_ssize_t n = min(count, <Py_ssize_t>(OPFORGE_BATCH if Real is float else HALF))
    memcpy(y, values, n * sizeof(Real))
    return n


cdef void uniform(
    Real* y, Py_ssize_t count, uint64_t key, uint64_t batch, double low, double high
) noexcept nogil:
    """Fill with numbers in [low, high); if rounding gives `high`, use the next smaller number."""
    cdef Real[OPFORGE_BATCH] values
    cdef Real base = <Real>low, width = <Real>(high - low), largest
    cdef Py_ssize_t n
    cdef int k, size = OPFORGE_BATCH if Real is float else HALF
    if Real is float:
        largest = nextafterf(<float>high, <float>low)
    else:
        largest = nextafter(high, low)
    while count > 0:
        fill_unit(values, key, batch)
        for k in range(size):
            values[k] = values[k] * width + base
            values[k] = largest if values[k] >= <Real>high else values[k]
        n = copy_batch(y, values, count)
        y += n
        count -= n
        batch += 1


cdef void normal(
    Real* y, Py_ssize_t count, uint64_t key, uint64_t batch, double mean, double std
) noexcept nogil:
    """Box-Muller transform: a pair of uniform numbers gives a pair of normal numbers."""
    cdef Real[OPFORGE_BATCH] values
    cdef Real[HALF] radius
    cdef Real angle
    cdef Py_ssize_t n
    cdef int k, size = OPFORGE_BATCH if Real is float else HALF
    while count > 0:
        fill_unit(values, key, batch)
        for k in range(size // 2):
            if Real is float:
                radius[k] = sqrtf(-2 * of_log_f32(1 - values[k])) * <float>std
            else:
                radius[k] = sqrt(-2 * of_log_f64(1 - values[k])) * std
        for k in range(size // 2):
            angle = <Real>TWO_PI * values[k + size // 2]
            if Real is float:
                values[k] = radius[k] * <float>of_cos_wide(angle) + <float>mean
                values[k + size // 2] = radius[k] * <float>of_sin_wide(angle) + <float>mean
            else:
                values[k] = radius[k] * cos(angle) + mean
                values[k + size // 2] = radius[k] * sin(angle) + mean
        n = copy_batch(y, values, count)
        y += n
        count -= n
        batch += 1


cdef void exponential(
    Real* y, Py_ssize_t count, uint64_t key, uint64_t batch, double mean, double unused
) noexcept nogil:
    """Negated logarithm of uniform numbers, computed as 0 - log, so that no zero is negative."""
    cdef Real[OPFORGE_BATCH] values
    cdef Py_ssize_t n
    cdef int k, size = OPFORGE_BATCH if Real is float else HALF
    while count > 0:
        fill_unit(values, key, batch)
        for k in range(size):
            if Real is float:
                values[k] = (0 - of_log_f32(1 - values[k])) * <float>mean
            else:
                values[k] = (0 - of_log_f64(1 - values[k])) * mean
        n = copy_batch(y, values, count)
        y += n
        count -= n
        batch += 1


cdef void integers(
    int64_t* y, Py_ssize_t count, uint64_t key, uint64_t batch, int64_t low, uint64_t width
) noexcept nogil:
    """Upper half of the product of a random 64-bit word and the width, which is distributed uniformly."""
    cdef uint32_t[OPFORGE_BATCH] words
    cdef uint64_t word
    cdef int k, size
    while count > 0:
        opforge_philox(key, batch, 0, words)
        size = <int>min(count, <Py_ssize_t>HALF)
        for k in range(size):
            word = (<uint64_t>words[k] << 32) | words[k + HALF]
            y[k] = <int64_t>(<uint64_t>low + opforge_high_product(word, width))
        y += size
        count -= size
        batch += 1


cdef opforge_random_table table
table.uniform[0] = <opforge_fill_fn>uniform[float]
table.uniform[1] = <opforge_fill_fn>uniform[double]
table.normal[0] = <opforge_fill_fn>normal[float]
table.normal[1] = <opforge_fill_fn>normal[double]
table.exponential[0] = <opforge_fill_fn>exponential[float]
table.exponential[1] = <opforge_fill_fn>exponential[double]
table.integers = integers

TABLE = PyCapsule_New(&table, b"opforge.kernels.random", NULL)
