/* Remainder of a division, with the sign of the divisor. A division by 0 gives 0, as in MXNet.
 *
 * float32: if the quotient has few enough bits, its product with the divisor is exact in float64. Larger
 * quotients and a divisor of 0 are treated as rare arguments and use libm (opforge_blocks.h). */
#ifndef OPFORGE_REMAINDER_H
#define OPFORGE_REMAINDER_H

#include "opforge_blocks.h"

static inline double of_mod_f64(double a, double b) {
    double r = fmod(a, b);
    if (b == 0) return 0;
    if (r == 0) return copysign(0.0, b);
    return (r < 0) != (b < 0) ? r + b : r;
}

static inline double of_mod_wide(double a, double b) {
    double r = fabs(b) == INFINITY ? a - 0 * a : a - trunc(a / b) * b;
    double y = (r < 0) != (b < 0) ? r + b : r;
    return r == 0 ? copysign(0.0, b) : y;
}
static inline int of_mod_is_rare(float a, float b) { return fabsf(a) > 0x1p28f * fabsf(b) || b == 0; }

#define OF_INT_MOD(T, suffix) \
    static inline T of_mod_##suffix(T a, T b) { \
        if (b == 0 || b == -1) return 0; \
        T r = a % b; \
        return r != 0 && (r < 0) != (b < 0) ? r + b : r; \
    }
OF_INT_MOD(int32_t, i32)
OF_INT_MOD(int64_t, i64)
OF_BLOCKS2(mod)

#endif
