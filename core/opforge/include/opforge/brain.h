/* bfloat16: conversions, and tiles of matrix products by the instruction that multiplies pairs.
 *
 * A pair is two adjacent elements of a row of `a`; rows therefore have an even number of elements. A panel holds, for
 * each pair, the elements of up to OF_BRAIN_VECTORS vectors of columns that it is multiplied with, two of each column
 * side by side. Sums are float32. The instruction takes subnormal elements for zero. Kernels exist where OF_BRAIN_PRODUCTS is defined, and
 * may run if `opforge_has_brain_products()`. Valid C11 and C++. */
#ifndef OPFORGE_BRAIN_TILES_H
#define OPFORGE_BRAIN_TILES_H

#include "fetch.h"
#include "tile.h"

/* bfloat16 is the upper half of a float32. */
OF_INLINE float of_brain_to_float(uint16_t brain) {
    const uint32_t bits = (uint32_t)brain << 16;
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

/* Round to nearest, ties to even; NaN keeps its sign. Branch-free, so that loops vectorize. */
OF_INLINE uint16_t of_float_to_brain(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
    return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? (bits >> 16 & 0x8000u) | 0x7fc0u : rounded);
}

#if defined(__AVX512BW__) && defined(__x86_64__)
#define OF_BRAIN_PRODUCTS

/* Return whether the processor has the instruction. */
OF_INLINE int opforge_has_brain_products(void) { return __builtin_cpu_supports("avx512bf16") != 0; }

enum {
    OF_BRAIN_VECTORS = 4, /* most of a panel */
    OF_BRAIN_COLUMNS = OF_BRAIN_VECTORS * OF_LANES_f32v,
    OF_BRAIN_DEPTH = 128, /* pairs of a panel that stays in the L1 cache: 32 KB */
    OF_BRAIN_FETCH = 16,  /* pairs after which to fetch more of other rows */
};

typedef float of_pairs __attribute__((vector_size(OF_VECTOR_BYTES), aligned(2), may_alias));
typedef float of_pair __attribute__((aligned(2), may_alias));

/* Load up to a vector of pairs; the others are zero. */
OF_INLINE of_f32v of_load_pairs(const uint16_t* p, int64_t pairs) {
    if (pairs >= OF_LANES_f32v) return *(const of_pairs*)p;
    return (of_f32v)_mm512_maskz_loadu_epi16((1u << 2 * pairs) - 1, p);
}

OF_INLINE of_f32v of_add_pairs(of_f32v sums, of_f32v a, of_f32v b) {
    __asm__("vdpbf16ps %2, %1, %0" : "+v"(sums) : "v"(a), "v"(b)); /* older compilers lack the intrinsic */
    return sums;
}

/* Round two vectors, `low` first. */
OF_INLINE __m512i of_round_pairs(of_f32v low, of_f32v high) {
    __m512i rounded;
    __asm__("vcvtne2ps2bf16 %2, %1, %0" : "=v"(rounded) : "v"(high), "v"(low));
    return rounded;
}

/* Add the products of `rows` rows of a with a panel of `vectors` to sums of float32; both are constants after inlining. */
OF_INLINE void of_brain_tile(const int rows, const int vectors, const uint16_t* a, int64_t lda, const uint16_t* panel,
                             int64_t pairs, float* sums, of_fetch* fetch) {
    of_f32v totals[OF_TILE_SUMS];
    if (rows > OF_TILE_ROWS(vectors)) return;
#pragma GCC unroll 28
    for (int s = 0; s < rows * vectors; s++) totals[s] = of_load_f32v(sums + s * OF_LANES_f32v);
    for (int64_t begin = 0; begin < pairs; begin += OF_BRAIN_FETCH) {
        const int64_t end = pairs - begin < OF_BRAIN_FETCH ? pairs : begin + OF_BRAIN_FETCH;
        if (fetch != NULL) of_fetch_some(fetch);
        for (int64_t x = begin; x < end; x++, a += 2, panel += 2 * vectors * OF_LANES_f32v) {
            of_f32v right[OF_BRAIN_VECTORS];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++) right[v] = *(const of_pairs*)(panel + v * 2 * OF_LANES_f32v);
#pragma GCC unroll 14
            for (int i = 0; i < rows; i++) {
                const of_f32v left = of_splat_f32v(*(const of_pair*)(a + i * lda));
#pragma GCC unroll 4
                for (int v = 0; v < vectors; v++) totals[i * vectors + v] = of_add_pairs(totals[i * vectors + v], left, right[v]);
            }
        }
    }
#pragma GCC unroll 28
    for (int s = 0; s < rows * vectors; s++) of_store_f32v(sums + s * OF_LANES_f32v, totals[s]);
}

/* Define of_brain_rows_N for panels of N vectors. */
#define OF_BRAIN_ROWS_OF(VECTORS)                                                                                      \
    OF_NOINLINE void of_brain_rows_##VECTORS(const uint16_t* a, int64_t lda, const uint16_t* panel, int64_t pairs,     \
                                             float* sums, int64_t m, of_fetch* fetch) {                                \
        const int64_t tiles = of_tile_count(m, VECTORS);                                                               \
        for (int64_t tile = 0; tile < tiles; tile++) {                                                                 \
            const int64_t rows = of_tile_begin(m, tiles, tile + 1) - of_tile_begin(m, tiles, tile);                    \
            switch (rows) { OF_EACH_TILE(OF_CASE_##VECTORS) }                                                          \
            a += rows * lda;                                                                                           \
            sums += rows * VECTORS * OF_LANES_f32v;                                                                    \
        }                                                                                                              \
    }
#define OF_CASE_1(ROWS) case ROWS: of_brain_tile(ROWS, 1, a, lda, panel, pairs, sums, fetch); break;
#define OF_CASE_2(ROWS) case ROWS: of_brain_tile(ROWS, 2, a, lda, panel, pairs, sums, fetch); break;
#define OF_CASE_3(ROWS) case ROWS: of_brain_tile(ROWS, 3, a, lda, panel, pairs, sums, fetch); break;
#define OF_CASE_4(ROWS) case ROWS: of_brain_tile(ROWS, 4, a, lda, panel, pairs, sums, fetch); break;
OF_BRAIN_ROWS_OF(1)
OF_BRAIN_ROWS_OF(2)
OF_BRAIN_ROWS_OF(3)
OF_BRAIN_ROWS_OF(4)
#undef OF_CASE_1
#undef OF_CASE_2
#undef OF_CASE_3
#undef OF_CASE_4
#undef OF_BRAIN_ROWS_OF

/* The number of times that of_brain_rows fetches rows. */
OF_INLINE int64_t of_brain_fetches(int64_t vectors, int64_t pairs, int64_t m) {
    return of_tile_count(m, vectors) * ((pairs + OF_BRAIN_FETCH - 1) / OF_BRAIN_FETCH);
}

/* Add the products of `m` rows of a, `lda` elements apart, with a panel of up to OF_BRAIN_VECTORS vectors to m rows of
 * sums. Meanwhile, fetch other rows, unless `fetch` is NULL. */
OF_INLINE void of_brain_rows(int64_t vectors, const uint16_t* a, int64_t lda, const uint16_t* panel, int64_t pairs,
                             float* sums, int64_t m, of_fetch* fetch) {
    switch (vectors) {
    case 1: of_brain_rows_1(a, lda, panel, pairs, sums, m, fetch); break;
    case 2: of_brain_rows_2(a, lda, panel, pairs, sums, m, fetch); break;
    case 3: of_brain_rows_3(a, lda, panel, pairs, sums, m, fetch); break;
    default: of_brain_rows_4(a, lda, panel, pairs, sums, m, fetch);
    }
}

#else
OF_INLINE int opforge_has_brain_products(void) { return 0; }
#endif

#endif
