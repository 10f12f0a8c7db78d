/* Functions of float32 that are computed in lanes of float64.
 *
 * With 29 bits to spare, polynomials to about 1e-10 and plain formulas give float32 within a
 * rounding, so there is nothing to be clever about; the lanes are half as many. `of_name_wide` is the
 * function of a float32 in float64. float64 itself goes through libm, and integers through float64. */
#ifndef OPFORGE_WIDE_H
#define OPFORGE_WIDE_H

#include "opforge_scalar.h"
#include "opforge_vector_f64.h"

#define OF_FLOAT_MAX 0x1.fffffep127

#define OF_WIDE1(name, libm) \
    static inline float of_##name##_f32(float x) { return (float)of_##name##_wide(x); } \
    static inline double of_##name##_f64(double x) { return libm; } \
    OF_INT_VIA_F64(name)
#define OF_WIDE2(name, libm) \
    static inline float of_##name##_f32(float a, float b) { return (float)of_##name##_wide(a, b); } \
    static inline double of_##name##_f64(double a, double b) { return libm; } \
    OF_INT2_VIA_F64(name)

#endif
