/* float32 functions that are computed in float64.
 *
 * float64 has 29 more bits than float32, so plain formulas and polynomials with an error of about 1e-10 give
 * correctly rounded float32 results with few exceptions, at the cost of half the vector lanes. `of_name_wide`
 * computes the function of a float32 argument in float64. float64 arguments use libm, integers the float64
 * function. */
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
