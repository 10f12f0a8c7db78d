/* exp, expm1 and gamma of integers, from tables of correctly rounded values: computed in float64, an error in
 * the last place would change the integer result, and could differ between instruction sets. Results that do
 * not fit int64 become INT64_MIN, as in opforge_truncate.h; narrower types wrap. */
#ifndef OPFORGE_INTEGER_H
#define OPFORGE_INTEGER_H

#include <math.h>
#include <stdint.h>

/* exp(x) and expm1(x) for x from 0 to 43, truncated. */
static const int64_t of_integer_exps[44] = {
    INT64_C(1), INT64_C(2), INT64_C(7), INT64_C(20),
    INT64_C(54), INT64_C(148), INT64_C(403), INT64_C(1096),
    INT64_C(2980), INT64_C(8103), INT64_C(22026), INT64_C(59874),
    INT64_C(162754), INT64_C(442413), INT64_C(1202604), INT64_C(3269017),
    INT64_C(8886110), INT64_C(24154952), INT64_C(65659969), INT64_C(178482300),
    INT64_C(485165195), INT64_C(1318815734), INT64_C(3584912846), INT64_C(9744803446),
    INT64_C(26489122129), INT64_C(72004899337), INT64_C(195729609428), INT64_C(532048240601),
    INT64_C(1446257064291), INT64_C(3931334297144), INT64_C(10686474581524), INT64_C(29048849665247),
    INT64_C(78962960182680), INT64_C(214643579785916), INT64_C(583461742527454), INT64_C(1586013452313430),
    INT64_C(4311231547115195), INT64_C(11719142372802612), INT64_C(31855931757113756), INT64_C(86593400423993744),
    INT64_C(235385266837020000), INT64_C(639843493530054912), INT64_C(1739274941520500992), INT64_C(4727839468229346304),
};
static const int64_t of_integer_expm1s[44] = {
    INT64_C(0), INT64_C(1), INT64_C(6), INT64_C(19),
    INT64_C(53), INT64_C(147), INT64_C(402), INT64_C(1095),
    INT64_C(2979), INT64_C(8102), INT64_C(22025), INT64_C(59873),
    INT64_C(162753), INT64_C(442412), INT64_C(1202603), INT64_C(3269016),
    INT64_C(8886109), INT64_C(24154951), INT64_C(65659968), INT64_C(178482299),
    INT64_C(485165194), INT64_C(1318815733), INT64_C(3584912845), INT64_C(9744803445),
    INT64_C(26489122128), INT64_C(72004899336), INT64_C(195729609427), INT64_C(532048240600),
    INT64_C(1446257064290), INT64_C(3931334297143), INT64_C(10686474581523), INT64_C(29048849665246),
    INT64_C(78962960182679), INT64_C(214643579785915), INT64_C(583461742527453), INT64_C(1586013452313429),
    INT64_C(4311231547115194), INT64_C(11719142372802610), INT64_C(31855931757113756), INT64_C(86593400423993744),
    INT64_C(235385266837020000), INT64_C(639843493530054912), INT64_C(1739274941520500992), INT64_C(4727839468229346304),
};
/* (x - 1)! for x from 1 to 21. */
static const int64_t of_integer_gammas[21] = {
    INT64_C(1), INT64_C(1), INT64_C(2), INT64_C(6),
    INT64_C(24), INT64_C(120), INT64_C(720), INT64_C(5040),
    INT64_C(40320), INT64_C(362880), INT64_C(3628800), INT64_C(39916800),
    INT64_C(479001600), INT64_C(6227020800), INT64_C(87178291200), INT64_C(1307674368000),
    INT64_C(20922789888000), INT64_C(355687428096000), INT64_C(6402373705728000), INT64_C(121645100408832000),
    INT64_C(2432902008176640000),
};

/* of_name of integers: table[x - first] in [first, last], `below` below it, INT64_MIN above. */
#define OF_TABULATED(name, first, last, table, below) \
    static inline int64_t of_##name##_i64(int64_t x) { \
        return x < (first) ? (below) : x > (last) ? INT64_MIN : table[x - (first)]; } \
    static inline int32_t of_##name##_i32(int32_t x) { return (int32_t)of_##name##_i64(x); }
OF_TABULATED(exp, 0, 43, of_integer_exps, 0)
OF_TABULATED(expm1, 0, 43, of_integer_expm1s, 0)
OF_TABULATED(gamma, 1, 21, of_integer_gammas, INT64_MIN)

/* glibc's tgamma(13) is off by one unit in the last place. */
static inline double of_gamma_f64(double x) {
    return x >= 1 && x <= 21 && x == floor(x) ? (double)of_integer_gammas[(int)x - 1] : tgamma(x);
}
static inline float of_gamma_f32(float x) { return (float)of_gamma_f64(x); }

#endif
