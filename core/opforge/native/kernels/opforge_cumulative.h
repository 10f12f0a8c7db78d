/* Cumulative sums in place, of float64 and of int64, in either direction.
 *
 * A row of floats is summed a vector at a time. The sums within a vector do not depend on those before it, so only one
 * addition per vector waits for the previous vector. */
#ifndef OPFORGE_CUMULATIVE_H
#define OPFORGE_CUMULATIVE_H

#include <stddef.h>

#include "opforge/simd.h"

/* x[i] += x[i - lag], in increasing order of i; from the end, x[i] += x[i + lag], in decreasing order. */
typedef struct {
    void (*f64)(double *x, ptrdiff_t n, ptrdiff_t lag, int from_end);
    void (*i64)(int64_t *x, ptrdiff_t n, ptrdiff_t lag, int from_end);
} opforge_cumulative_table;

/* Loaded, because GCC does not see that a vector whose lanes are set one by one is the same in each iteration. */
static const int64_t of_first_lanes[8] = {0, 1, 2, 3, 4, 5, 6, 7};

/* The sums of the lanes up to each one. */
OF_INLINE of_f64v of_cumsum_lanes(of_f64v v, const int from_end) {
    const of_f64v none = {0};
    of_mask_f64v lanes;
    memcpy(&lanes, of_first_lanes, sizeof lanes);
#pragma GCC unroll 4
    for (int64_t step = 1; step < OF_LANES_f64v; step *= 2) {
        const of_mask_f64v which = (lanes + (from_end ? step : -step)) & (2 * OF_LANES_f64v - 1);
        v += of_shuffle_f64v(v, none, which);
    }
    return v;
}

/* One lane of v in all lanes. */
OF_INLINE of_f64v of_spread_lane(of_f64v v, const int64_t lane) {
    const of_mask_f64v zero = {0};
    return of_shuffle_f64v(v, v, zero + lane);
}

OF_INLINE void of_cumsum_row(double *x, ptrdiff_t n, const int from_end) {
    of_f64v before = {0};
    ptrdiff_t done = 0;
    for (; done + OF_LANES_f64v <= n; done += OF_LANES_f64v) {
        double *p = from_end ? x + n - done - OF_LANES_f64v : x + done;
        const of_f64v sums = of_cumsum_lanes(of_load_f64v(p), from_end);
        of_store_f64v(p, before + sums);
        before += of_spread_lane(sums, from_end ? 0 : OF_LANES_f64v - 1);
    }
    double total = before[0];
    for (; done < n; done++) {
        double *p = from_end ? x + n - done - 1 : x + done;
        total += *p;
        *p = total;
    }
}

static void opforge_cumsum_f64(double *x, ptrdiff_t n, ptrdiff_t lag, int from_end) {
    if (lag == 1 && from_end) of_cumsum_row(x, n, 1);
    else if (lag == 1) of_cumsum_row(x, n, 0);
    else if (from_end) for (ptrdiff_t i = n - lag - 1; i >= 0; i--) x[i] += x[i + lag];
    else for (ptrdiff_t i = lag; i < n; i++) x[i] += x[i - lag];
}

/* Unsigned, so that overflow wraps. */
static void opforge_cumsum_i64(int64_t *x, ptrdiff_t n, ptrdiff_t lag, int from_end) {
    uint64_t *sums = (uint64_t *)x;
    if (from_end) for (ptrdiff_t i = n - lag - 1; i >= 0; i--) sums[i] += sums[i + lag];
    else for (ptrdiff_t i = lag; i < n; i++) sums[i] += sums[i - lag];
}

#endif
