/* Thread-safe logarithm of the gamma function; lgamma of the C library stores the sign in a global variable. */
#ifndef OPFORGE_LGAMMA_H
#define OPFORGE_LGAMMA_H

/* Not part of any POSIX version, but available on every system that opforge supports. */
extern double lgamma_r(double x, int *sign);

static inline double opforge_lgamma(double x) {
    int sign;
    return lgamma_r(x, &sign);
}

#endif
