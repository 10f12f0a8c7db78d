/* Floats to integers by truncation, for every float: in C the conversion of what does not fit is
 * undefined. Here, as x86-64 has it, that and NaN become the least integer. */
#ifndef OPFORGE_TRUNCATE_H
#define OPFORGE_TRUNCATE_H

#include <stdint.h>

/* The least integer is a float of both types, so it is chosen before the conversion: no branch. */
#define OF_TRUNCATE(name, From, To, least) \
    static inline To of_truncate_##name(From x) { \
        return (To)(x >= (From)(least) && x < -(From)(least) ? x : (From)(least)); \
    }
OF_TRUNCATE(f32_i32, float, int32_t, -0x1p31)
OF_TRUNCATE(f32_i64, float, int64_t, -0x1p63)
OF_TRUNCATE(f64_i32, double, int32_t, -0x1p31)
OF_TRUNCATE(f64_i64, double, int64_t, -0x1p63)

#endif
