#include "kernels/byte_rows.h"

#include <math.h>
#include <string.h>

#include "kernels/rounding.h"

enum { PARTS = 32 }; /* independent comparisons, which compilers turn into vectors */

static const float LARGEST = 127;

/* The largest magnitude; NaN if a number is not finite, because its product with 0 is NaN. */
static float magnitude_of_row(const float* row, int64_t length) {
    float largest[PARTS] = {0}, zeros[PARTS] = {0};
    for (int64_t i = 0; i < length; i += PARTS) {
        const int64_t n = length - i < PARTS ? length - i : PARTS;
        for (int64_t part = 0; part < n; part++) {
            const float x = fabsf(row[i + part]);
            largest[part] = x > largest[part] ? x : largest[part];
            zeros[part] += x * 0;
        }
    }
    for (int part = 1; part < PARTS; part++) {
        largest[0] = largest[part] > largest[0] ? largest[part] : largest[0];
        zeros[0] += zeros[part];
    }
    return largest[0] + zeros[0];
}

float quantize_row(const float* row, int64_t length, int8_t* bytes) {
    const float magnitude = magnitude_of_row(row, length), factor = LARGEST / magnitude;
    const int is_zero = !isfinite(factor); /* zeros, numbers too small for a factor, and rows with a NaN */
    for (int64_t i = 0; i < length; i++) bytes[i] = to_int8(is_zero ? 0 : row[i] * factor);
    memset(bytes + length, 0, (size_t)(padded_length(length) - length));
    return is_zero && magnitude == magnitude ? 0 : magnitude / LARGEST;
}

int32_t scaled_sum(const int8_t* bytes, int64_t padded, int32_t factor) {
    int32_t sum = 0;
    for (int64_t i = 0; i < padded; i++) sum += bytes[i];
    return sum * factor;
}

void scaled_sums_of_four(const int8_t* bytes, int64_t padded, int32_t factor, int32_t* sums) {
    for (int64_t i = 0; i < padded / 4; i++, bytes += 4) {
        sums[i] = (bytes[0] + bytes[1] + bytes[2] + bytes[3]) * factor;
    }
}
