/* Products of matrices of 8-bit integers, the inner loop of all layers with weights. */
#ifndef OPFORGE_QUANTIZED_PRODUCT_H
#define OPFORGE_QUANTIZED_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

/* C = A B^T in int32, which wraps on overflow: c[i * c_row + j * c_column] is the sum over l of
 * a[i * k + l] * b[j * k + l], for i < m, j < n and l < k. A holds uint8 if `a_is_unsigned`, else int8.
 * It runs on the calling thread; callers divide their work among the threads. */
void quantized_product(const void* a, bool a_is_unsigned, const int8_t* b, int32_t* c, int64_t m, int64_t n, int64_t k,
                       int64_t c_row, int64_t c_column);

#endif
