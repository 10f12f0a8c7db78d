/* Truncation of floats to integers, defined for every float. In C, converting a value that does not fit is
 * undefined; here such values and NaN become the smallest integer, as on x86-64. */
#ifndef OPFORGE_TRUNCATE_H
#define OPFORGE_TRUNCATE_H

#include <stdint.h>

/* Both float types represent the smallest integer exactly, so it is selected before the conversion, without a
 * branch. */
#define OF_TRUNCATE(name, From, To, smallest) \
    static inline To of_truncate_##name(From x) { \
        return (To)(x >= (From)(smallest) && x < -(From)(smallest) ? x : (From)(smallest)); \
    }
OF_TRUNCATE(f32_i32, float, int32_t, -0x1p31)
OF_TRUNCATE(f32_i64, float, int64_t, -0x1p63)
OF_TRUNCATE(f64_i32, double, int32_t, -0x1p31)
OF_TRUNCATE(f64_i64, double, int64_t, -0x1p63)

#endif
