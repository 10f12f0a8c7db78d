#include "kernels/product.h"

enum { ROWS = 4 }; /* rows of B that share each load of A */

/* Dot products of a row of A with ROWS rows of B. Unsigned sums wrap without undefined behavior. */
#define DEFINE_DOTS(name, type) \
    static void name(const void* row, const int8_t* b, int64_t k, uint32_t* sums) { \
        const type* a = (const type*)row; \
        const int8_t *b0 = b, *b1 = b + k, *b2 = b + 2 * k, *b3 = b + 3 * k; \
        uint32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0; \
        for (int64_t l = 0; l < k; l++) { \
            int32_t x = a[l]; \
            s0 += (uint32_t)(x * b0[l]); \
            s1 += (uint32_t)(x * b1[l]); \
            s2 += (uint32_t)(x * b2[l]); \
            s3 += (uint32_t)(x * b3[l]); \
        } \
        sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3; \
    } \
    static void name##_one(const void* row, const int8_t* b, int64_t k, uint32_t* sum) { \
        const type* a = (const type*)row; \
        uint32_t s = 0; \
        for (int64_t l = 0; l < k; l++) s += (uint32_t)((int32_t)a[l] * b[l]); \
        *sum = s; \
    }

DEFINE_DOTS(dots_of_int8, int8_t)
DEFINE_DOTS(dots_of_uint8, uint8_t)

typedef void (*dots)(const void* row, const int8_t* b, int64_t k, uint32_t* sums);

void quantized_product(const void* a, bool a_is_unsigned, const int8_t* b, int32_t* c, int64_t m, int64_t n, int64_t k,
                       int64_t c_row, int64_t c_column) {
    dots several = a_is_unsigned ? dots_of_uint8 : dots_of_int8;
    dots one = a_is_unsigned ? dots_of_uint8_one : dots_of_int8_one;
    uint32_t sums[ROWS];
    /* The rows of B are outermost: they are larger than those of A, and are read once. */
    for (int64_t j = 0; j < n; j += ROWS) {
        int64_t count = n - j < ROWS ? n - j : ROWS;
        for (int64_t i = 0; i < m; i++) {
            const char* row = (const char*)a + i * k;
            if (count == ROWS) several(row, b + j * k, k, sums);
            else for (int64_t r = 0; r < count; r++) one(row, b + (j + r) * k, k, &sums[r]);
            for (int64_t r = 0; r < count; r++) c[i * c_row + (j + r) * c_column] = (int32_t)sums[r];
        }
    }
}
