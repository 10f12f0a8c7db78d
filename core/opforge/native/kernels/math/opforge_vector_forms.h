/* Elementary functions with the same formula in float32 and float64. This is a template: the header with a
 * type's polynomials includes it after defining these macros, which are undefined at the end.
 *
 *     OF_REAL, OF_BITS              the type, and the unsigned integer of its size
 *     OF_NAMED(name)                name of a function of this type
 *     OF_FROM_BITS, OF_TO_BITS      conversion from and to that integer
 *     OF_FUSED, OF_ABS              a * b + c, absolute value
 *     OF_FRACTION, OF_BIAS          bits of the fraction, bias of the exponent
 *     OF_SMALLEST, OF_LARGEST       smallest normal number, largest finite number
 *     OF_EXP_END                    exp(x) is inf from here on
 *     OF_EXPM1_END                  2^-OF_EXPM1_END - 1 rounds to -1
 *     OF_DIGITS                     expm1(x) and log1p(x) are x for |x| < 2^-OF_DIGITS */

/* 1.5 * 2^OF_FRACTION: adding a number to it rounds the number to an integer, which is left in the low bits. */
#define OF_MAGIC ((OF_REAL)((OF_BITS)3 << (OF_FRACTION - 1)))
#define OF_TINY (1 / (OF_REAL)((OF_BITS)1 << OF_DIGITS))

/* Here and below, no two conditions compare the same value: GCC would turn them into branches before it
 * vectorizes, and then recognize neither min nor max. */

/* exp(x) - 1 = 2 * (2^(n-1) * q + 2^(n-1) - 1/2): 2^n may be inf when the result is not. */
static inline OF_REAL OF_NAMED(expm1)(OF_REAL x) {
    const OF_REAL magic = OF_MAGIC + (OF_BIAS - 1);
    OF_REAL shifted, q = OF_NAMED(exp_split)(x > OF_EXP_END ? OF_EXP_END : x, magic, &shifted);
    OF_REAL scale = OF_FROM_BITS(OF_TO_BITS(shifted) << OF_FRACTION);
    OF_REAL y = 2 * OF_FUSED(scale, q, scale - (OF_REAL)0.5);
    y = shifted < magic - OF_EXPM1_END ? -1 : y;
    return OF_ABS(x) < OF_TINY ? x : y;
}

static inline OF_REAL OF_NAMED(log)(OF_REAL x) {
    OF_REAL scaled = x < OF_SMALLEST ? x / OF_TINY : x, lift = x < OF_SMALLEST ? -(OF_REAL)OF_DIGITS : 0;
    OF_REAL result = OF_NAMED(log_normal)(scaled, lift);
    result = x <= OF_LARGEST ? result : x; /* inf and NaN are returned unchanged */
    return x > 0 || x != x ? result : (x < 0 ? NAN : -INFINITY);
}

/* The rounding error of 1 + x (`lost`) is corrected with the derivative. */
static inline OF_REAL OF_NAMED(log1p)(OF_REAL x) {
    OF_REAL sum = 1 + x, lost = x - (sum - 1);
    OF_REAL result = OF_NAMED(log_normal)(sum, 0) + lost / sum;
    result = x <= OF_LARGEST ? result : x;
    result = sum > 0 || x != x ? result : (sum < 0 ? NAN : -INFINITY);
    return OF_ABS(x) < OF_TINY ? x : result;
}

#undef OF_REAL
#undef OF_BITS
#undef OF_NAMED
#undef OF_FROM_BITS
#undef OF_TO_BITS
#undef OF_FUSED
#undef OF_ABS
#undef OF_FRACTION
#undef OF_BIAS
#undef OF_SMALLEST
#undef OF_LARGEST
#undef OF_EXP_END
#undef OF_EXPM1_END
#undef OF_DIGITS
#undef OF_MAGIC
#undef OF_TINY
