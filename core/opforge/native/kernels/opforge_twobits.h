/* Values in two bits, sixteen in a word, as MXNet's stores send them.
 *
 * A byte has four values, the first in its highest bits: 3 is the threshold, 2 its negative, 0 is 0. */
#ifndef OPFORGE_TWOBITS_H
#define OPFORGE_TWOBITS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    /* rest[i] += x[i]; words get what is sent of it, which rest[i] loses */
    void (*pack)(const float *x, float *rest, uint8_t *words, float threshold, ptrdiff_t n);
    /* y[i] = what was sent, or y[i] += it */
    void (*unpack)(const uint8_t *words, float *y, float threshold, int adds, ptrdiff_t n);
} opforge_twobits_table;

#endif
