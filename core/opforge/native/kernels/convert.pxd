# C declarations of the conversion table and of the scalar conversions of 16-bit floats.

from libc.stdint cimport int32_t, int64_t, uint16_t

cdef extern from "opforge_convert.h" nogil:
    ctypedef void (*opforge_cast_fn)(const void* x, void* y, Py_ssize_t n) noexcept nogil
    ctypedef struct opforge_convert_table:
        opforge_cast_fn cast[9][9]
    float of_half_to_float(uint16_t half)
    uint16_t of_float_to_half(float x)
    float of_round_to_odd(double x)
    float of_brain_to_float(uint16_t brain)
    uint16_t of_float_to_brain(float x)
    void of_halves_to_floats(const uint16_t* x, float* y, Py_ssize_t n)
    void of_floats_to_halves(const float* x, uint16_t* y, Py_ssize_t n)

cdef extern from "opforge_truncate.h" nogil:
    int32_t of_truncate_f32_i32(float x)
    int64_t of_truncate_f32_i64(float x)
    int32_t of_truncate_f64_i32(double x)
    int64_t of_truncate_f64_i64(double x)
