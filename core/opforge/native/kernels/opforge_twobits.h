/* Gradients compressed to two bits per value, sixteen in a word, in the format of MXNet's key-value stores.
 *
 * A byte has four values, the first in its highest bits: 3 is the threshold, 2 the negative threshold, 0 is 0. */
#ifndef OPFORGE_TWOBITS_H
#define OPFORGE_TWOBITS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    /* residual[i] += x[i]; pack the value to send into words and subtract it from residual[i] */
    void (*pack)(const float *x, float *residual, uint8_t *words, float threshold, ptrdiff_t n);
    /* y[i] = unpacked value, or y[i] += it if `adds` */
    void (*unpack)(const uint8_t *words, float *y, float threshold, int adds, ptrdiff_t n);
} opforge_twobits_table;

#endif
