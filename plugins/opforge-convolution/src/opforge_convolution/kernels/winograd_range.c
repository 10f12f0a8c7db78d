/* The typical magnitude of data, and the limit of outliers. */
#include "winograd_range.h"

#include <math.h>

#include "sizes.h"

enum { SAMPLES = 512, LARGEST = SAMPLES / 64, EXPONENTS = 256, BIAS = 127 };

float wino_size(const float* data, int64_t count) {
    int64_t step = (count / SAMPLES) | 1, taken = 0;
    int32_t of[EXPONENTS] = {0};
    for (int64_t at = 0; at < count && taken < SAMPLES; at += step, taken++) {
        uint32_t bits;
        memcpy(&bits, data + at, sizeof bits);
        of[bits >> 23 & (EXPONENTS - 1)]++;
    }
    double squares = 0;
    int64_t left_out = LARGEST * taken / SAMPLES, kept = taken - left_out;
    for (int exponent = EXPONENTS - 1; exponent > 0; exponent--) {
        int64_t n = of[exponent], out = min64(n, left_out);
        left_out -= out;
        /* Twice the square of the power of two: that of a middle mantissa. */
        if (exponent < EXPONENTS - 1) squares += (double)(n - out) * ldexp(2, 2 * (exponent - BIAS));
    }
    return kept > 0 ? (float)sqrt(squares / (double)kept) : 0;
}

float wino_limit(float size, double terms) {
    const float farthest = 1e30f; /* beyond it transforms could leave the type */
    double limit = (double)size * fmax(24, sqrt(terms));
    return limit < farthest ? (float)limit : farthest;
}
