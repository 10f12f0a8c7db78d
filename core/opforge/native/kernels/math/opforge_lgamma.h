/* The logarithm of the gamma function for several threads at once: lgamma of the C library stores the
 * sign in a global variable. */
#ifndef OPFORGE_LGAMMA_H
#define OPFORGE_LGAMMA_H

/* POSIX names it in no version; every system that opforge runs on has it. */
extern double lgamma_r(double x, int *sign);

static inline double opforge_lgamma(double x) {
    int sign;
    return lgamma_r(x, &sign);
}

#endif
