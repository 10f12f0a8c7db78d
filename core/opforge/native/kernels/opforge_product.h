/* Products of a few rows with a matrix: out[i, j] = a[i] . b[j] + bias[j] (+ out[i, j]), rows dense.
 *
 * BLAS packs `b` before it multiplies, which costs as much as ten rows of arithmetic. Here each row of
 * `b` is read once, for all rows of `a`, and nothing is packed. Sums run in the lanes of one vector. */
#ifndef OPFORGE_PRODUCT_H
#define OPFORGE_PRODUCT_H

#include <stddef.h>
#include <string.h>
#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
#include <immintrin.h>
#endif

typedef void (*opforge_few_rows_fn)(const float *a, const float *b, const float *bias, float *out,
                                    ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, ptrdiff_t ldc, int add);

#if defined(__AVX512F__)
typedef __m512 of_lanes;
#define OF_LANES 16
#define OF_LOAD(p) _mm512_loadu_ps(p)
#define OF_MADD(a, b, c) _mm512_fmadd_ps(a, b, c)
#elif defined(__AVX2__) && defined(__FMA__)
typedef __m256 of_lanes;
#define OF_LANES 8
#define OF_LOAD(p) _mm256_loadu_ps(p)
#define OF_MADD(a, b, c) _mm256_fmadd_ps(a, b, c)
#else
typedef float of_lanes __attribute__((vector_size(16)));
#define OF_LANES 4
static inline of_lanes of_load_lanes(const float *p) {
    of_lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}
#define OF_LOAD(p) of_load_lanes(p)
#define OF_MADD(a, b, c) ((a) * (b) + (c))
#endif

enum { OF_FEW_A = 3, OF_FEW_B = 4 }; /* rows at once: 12 accumulators leave 4 of 16 registers */

static inline float of_sum_lanes(of_lanes v) {
    float lanes[OF_LANES];
    memcpy(lanes, &v, sizeof lanes);
    for (int width = OF_LANES / 2; width; width /= 2)
        for (int i = 0; i < width; i++) lanes[i] += lanes[i + width];
    return lanes[0];
}

/* The sums of four vectors. */
static inline void of_sum_four(const of_lanes *v, float *totals) {
#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
    __m256 half[4];
    for (int j = 0; j < 4; j++)
#ifdef __AVX512F__
        half[j] = _mm256_add_ps(_mm512_castps512_ps256(v[j]),
                                _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(v[j]), 1)));
#else
        half[j] = v[j];
#endif
    const __m256 pairs = _mm256_hadd_ps(_mm256_hadd_ps(half[0], half[1]),
                                        _mm256_hadd_ps(half[2], half[3]));
    _mm_storeu_ps(totals,
                  _mm_add_ps(_mm256_castps256_ps128(pairs), _mm256_extractf128_ps(pairs, 1)));
#else
    for (int j = 0; j < 4; j++) totals[j] = of_sum_lanes(v[j]);
#endif
}

/* `rows` rows of a by `cols` (1 or OF_FEW_B) rows of b, both constants where it is inlined. */
static inline __attribute__((always_inline)) void of_few_block(
    const float *a, const float *b, const float *bias, float *out, ptrdiff_t k, ptrdiff_t ldc,
    int add, const int rows, const int cols) {
    of_lanes sums[OF_FEW_A][OF_FEW_B];
    memset(sums, 0, sizeof sums);
    ptrdiff_t x = 0;
    for (; x + OF_LANES <= k; x += OF_LANES) {
        of_lanes left[OF_FEW_A];
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) left[i] = OF_LOAD(a + i * k + x);
#pragma GCC unroll 4
        for (int j = 0; j < cols; j++) {
            const of_lanes right = OF_LOAD(b + j * k + x);
#pragma GCC unroll 4
            for (int i = 0; i < rows; i++) sums[i][j] = OF_MADD(left[i], right, sums[i][j]);
        }
    }
    for (int i = 0; i < rows; i++) {
        float totals[OF_FEW_B];
        if (cols == OF_FEW_B)
            of_sum_four(sums[i], totals);
        else
            totals[0] = of_sum_lanes(sums[i][0]);
        for (ptrdiff_t rest = x; rest < k; rest++)
            for (int j = 0; j < cols; j++) totals[j] += a[i * k + rest] * b[j * k + rest];
        if (bias != NULL)
            for (int j = 0; j < cols; j++) totals[j] += bias[j];
        if (add)
            for (int j = 0; j < cols; j++) totals[j] += out[i * ldc + j];
        memcpy(out + i * ldc, totals, cols * sizeof(float));
    }
}

static inline __attribute__((always_inline)) void of_few_columns(
    const float *a, const float *b, const float *bias, float *out, ptrdiff_t m, ptrdiff_t k,
    ptrdiff_t ldc, int add, const int cols) {
    ptrdiff_t i = 0;
    for (; i + 3 <= m; i += 3) of_few_block(a + i * k, b, bias, out + i * ldc, k, ldc, add, 3, cols);
    if (m - i == 2) of_few_block(a + i * k, b, bias, out + i * ldc, k, ldc, add, 2, cols);
    if (m - i == 1) of_few_block(a + i * k, b, bias, out + i * ldc, k, ldc, add, 1, cols);
}

static void opforge_few_rows(const float *a, const float *b, const float *bias, float *out,
                             ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, ptrdiff_t ldc, int add) {
    ptrdiff_t j = 0;
    for (; j + OF_FEW_B <= n; j += OF_FEW_B)
        of_few_columns(a, b + j * k, bias == NULL ? NULL : bias + j, out + j, m, k, ldc, add, OF_FEW_B);
    for (; j < n; j++)
        of_few_columns(a, b + j * k, bias == NULL ? NULL : bias + j, out + j, m, k, ldc, add, 1);
}

#endif
