/* The elementary functions that have one form in float32 and float64. A template: it is included once
 * for each type, by the header that has the type's polynomials and says by macros
 *
 *     OF_REAL, OF_BITS           the type, and the unsigned integer of its size
 *     OF_NAMED(name)             the name of a function of this type
 *     OF_FROM_BITS, OF_TO_BITS   from that integer and to it
 *     OF_FUSED, OF_ABS, OF_SIGNED   a * b + c, magnitude, copysign
 *     OF_FRACTION, OF_BIAS       bits of the fraction, bias of the exponent
 *     OF_LEAST, OF_MOST          the smallest normal and the largest finite number
 *     OF_EXP_END, OF_DECAY_END   where exp(x) is inf, and exp(-x) is 0
 *     OF_ZERO_EXPONENT           2 to the minus this rounds to 0
 *     OF_TANH_END                where tanh is 1
 *     OF_EXPM1_END               2 to the minus this less 1 is -1
 *     OF_DIGITS                  |x| < 2^-OF_DIGITS: expm1 and log1p are x
 *
 * and which are undefined at the end. */

/* 1.5 * 2^OF_FRACTION: what is added to it leaves its whole part in the low bits. */
#define OF_MAGIC ((OF_REAL)((OF_BITS)3 << (OF_FRACTION - 1)))
#define OF_TINY (1 / (OF_REAL)((OF_BITS)1 << OF_DIGITS))

/* 2^n is applied in two factors of half the exponent, for subnormal results and for overflow.
 * Here and below no two conditions compare the same value: GCC would make branches of them before
 * it looks for vectors, and then find neither min nor max. */
static inline OF_REAL OF_NAMED(exp)(OF_REAL x) {
    const OF_REAL magic = OF_MAGIC + 2 * OF_BIAS;
    OF_REAL shifted, q = OF_NAMED(exp_split)(x > OF_EXP_END ? OF_EXP_END : x, magic, &shifted);
    OF_BITS n = OF_TO_BITS(shifted), ones = (OF_BITS)(2 * OF_BIAS + 1) << OF_FRACTION;
    OF_BITS first = (n << (OF_FRACTION - 1)) & ones, second = (n << OF_FRACTION) - first;
    OF_REAL y = (1 + q) * OF_FROM_BITS(first) * OF_FROM_BITS(second);
    return shifted < magic - OF_ZERO_EXPONENT ? 0 : y;
}

/* exp(x) for -OF_DECAY_END <= x <= 0: 2^n comes as 2^(n + 64) * 2^-64, for subnormal results. */
static inline OF_REAL OF_NAMED(exp_fall)(OF_REAL x) {
    OF_REAL shifted, q = OF_NAMED(exp_split)(x, OF_MAGIC + OF_BIAS + 64, &shifted);
    return (1 + q) * OF_FROM_BITS(OF_TO_BITS(shifted) << OF_FRACTION) * (OF_REAL)0x1p-64;
}

/* exp(-|x|) */
static inline OF_REAL OF_NAMED(exp_decay)(OF_REAL x) {
    OF_REAL u = OF_ABS(x), y = OF_NAMED(exp_fall)(-u);
    return u > OF_DECAY_END ? 0 : y;
}

/* 1 / (1 + e) or e / (1 + e) with e = exp(-|x|): the tail far below 0 is a subnormal, not 0. */
static inline OF_REAL OF_NAMED(sigmoid)(OF_REAL x) {
    OF_REAL e = OF_NAMED(exp_decay)(x);
    return (x < 0 ? e : 1) / (1 + e);
}

/* m / (m + 2) with m = exp(2 |x|) - 1, whose relative error is small at 0 too. */
static inline OF_REAL OF_NAMED(tanh)(OF_REAL x) {
    OF_REAL shifted, u = OF_ABS(x);
    OF_REAL q = OF_NAMED(exp_split)(
        2 * (u > OF_TANH_END ? OF_TANH_END : u), OF_MAGIC + OF_BIAS, &shifted);
    OF_REAL scale = OF_FROM_BITS(OF_TO_BITS(shifted) << OF_FRACTION);
    OF_REAL m = OF_FUSED(scale, q, scale - 1);
    return OF_SIGNED(m / (m + 2), x);
}

/* exp(x) - 1 = 2 * (2^(n-1) * q + 2^(n-1) - 1/2): 2^n may be inf where the result is not. */
static inline OF_REAL OF_NAMED(expm1)(OF_REAL x) {
    const OF_REAL magic = OF_MAGIC + (OF_BIAS - 1);
    OF_REAL shifted, q = OF_NAMED(exp_split)(x > OF_EXP_END ? OF_EXP_END : x, magic, &shifted);
    OF_REAL scale = OF_FROM_BITS(OF_TO_BITS(shifted) << OF_FRACTION);
    OF_REAL y = 2 * OF_FUSED(scale, q, scale - (OF_REAL)0.5);
    y = shifted < magic - OF_EXPM1_END ? -1 : y;
    return OF_ABS(x) < OF_TINY ? x : y;
}

static inline OF_REAL OF_NAMED(log)(OF_REAL x) {
    OF_REAL scaled = x < OF_LEAST ? x / OF_TINY : x, lift = x < OF_LEAST ? -(OF_REAL)OF_DIGITS : 0;
    OF_REAL result = OF_NAMED(log_normal)(scaled, lift);
    result = x <= OF_MOST ? result : x; /* inf and nan are their own logarithms */
    return x > 0 || x != x ? result : (x < 0 ? NAN : -INFINITY);
}

/* What rounding took from 1 + x comes back as the derivative's share. */
static inline OF_REAL OF_NAMED(log1p)(OF_REAL x) {
    OF_REAL sum = 1 + x, lost = x - (sum - 1);
    OF_REAL result = OF_NAMED(log_normal)(sum, 0) + lost / sum;
    result = x <= OF_MOST ? result : x;
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
#undef OF_SIGNED
#undef OF_FRACTION
#undef OF_BIAS
#undef OF_LEAST
#undef OF_MOST
#undef OF_EXP_END
#undef OF_DECAY_END
#undef OF_ZERO_EXPONENT
#undef OF_TANH_END
#undef OF_EXPM1_END
#undef OF_DIGITS
#undef OF_MAGIC
#undef OF_TINY
