/* Loops over float32 functions that can be computed in float64 (opforge_wide.h) except for rare arguments.
 *
 * Elements are processed in blocks. A block without rare arguments runs branch-free. In other blocks each
 * element is computed separately: rare arguments by libm, the rest by the same formula as before. So a result
 * does not depend on neighboring elements. For each name, the includer defines `of_name_wide`, `of_name_f64`
 * and `of_name_is_rare`; these macros define `of_name_f32` and the loops `of_name_row_*` for all types. */
#ifndef OPFORGE_BLOCKS_H
#define OPFORGE_BLOCKS_H

#include <stddef.h>

#include "opforge_wide.h"

#define OF_BLOCK 256

#define OF_BLOCKS1(name) \
    OF_INT_VIA_F64(name) \
    static inline float of_##name##_f32(float x) { \
        return (float)(of_##name##_is_rare(x) ? of_##name##_f64(x) : of_##name##_wide(x)); \
    } \
    static inline void of_##name##_row_f32(const float *x, float *y, ptrdiff_t n) { \
        for (; n > 0; x += OF_BLOCK, y += OF_BLOCK, n -= OF_BLOCK) { \
            int count = n < OF_BLOCK ? (int)n : OF_BLOCK, rare = 0; \
            for (int i = 0; i < count; i++) rare |= of_##name##_is_rare(x[i]); \
            if (rare) for (int i = 0; i < count; i++) y[i] = of_##name##_f32(x[i]); \
            else for (int i = 0; i < count; i++) y[i] = (float)of_##name##_wide(x[i]); \
        } \
    } \
    OF_ROW1(name, double, f64) OF_ROW1(name, int32_t, i32) OF_ROW1(name, int64_t, i64)
#define OF_ROW1(name, T, suffix) \
    static inline void of_##name##_row_##suffix(const T *x, T *y, ptrdiff_t n) { \
        for (ptrdiff_t i = 0; i < n; i++) y[i] = of_##name##_##suffix(x[i]); \
    }

#define OF_BLOCKS2(name) \
    static inline float of_##name##_f32(float a, float b) { \
        return (float)(of_##name##_is_rare(a, b) ? of_##name##_f64(a, b) : of_##name##_wide(a, b)); \
    } \
    static inline void of_##name##_row_f32(const float *a, const float *b, float *y, ptrdiff_t n) { \
        for (; n > 0; a += OF_BLOCK, b += OF_BLOCK, y += OF_BLOCK, n -= OF_BLOCK) { \
            int count = n < OF_BLOCK ? (int)n : OF_BLOCK, rare = 0; \
            for (int i = 0; i < count; i++) rare |= of_##name##_is_rare(a[i], b[i]); \
            if (rare) for (int i = 0; i < count; i++) y[i] = of_##name##_f32(a[i], b[i]); \
            else for (int i = 0; i < count; i++) y[i] = (float)of_##name##_wide(a[i], b[i]); \
        } \
    } \
    OF_ROW2(name, double, f64) OF_ROW2(name, int32_t, i32) OF_ROW2(name, int64_t, i64)
#define OF_ROW2(name, T, suffix) \
    static inline void of_##name##_row_##suffix(const T *a, const T *b, T *y, ptrdiff_t n) { \
        for (ptrdiff_t i = 0; i < n; i++) y[i] = of_##name##_##suffix(a[i], b[i]); \
    }

#endif
