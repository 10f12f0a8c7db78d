/* Counter-based random number generator (Philox4x32-10). A block is a function of its key and index, so any part of
 * a stream can be computed independently. A batch is OPFORGE_BATCH_BLOCKS blocks, which are computed together. */
#ifndef OPFORGE_RANDOM_H
#define OPFORGE_RANDOM_H

#include <Python.h>
#include <math.h>
#include <stdint.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum {
    OPFORGE_BATCH_BLOCKS = 16,
    OPFORGE_BATCH = 64 /* number of 32-bit words */
};

/* Fill `count` elements, starting with batch `batch` of the stream. [0] is float32 (OPFORGE_BATCH elements per
 * batch), [1] float64 (half as many). a, b: low and high, mean and standard deviation, or the mean only. */
typedef void (*opforge_fill_fn)(void* y, Py_ssize_t count, uint64_t key, uint64_t batch, double a,
                                double b);
/* Integers in [low, low + width), as many per batch as of float64. */
typedef void (*opforge_integers_fn)(int64_t* y, Py_ssize_t count, uint64_t key, uint64_t batch,
                                    int64_t low, uint64_t width);
typedef struct {
    opforge_fill_fn uniform[2], normal[2], exponential[2];
    opforge_integers_fn integers;
} opforge_random_table;

/* 64-bit lanes, whose lower halves are the words of a block: the product of two words fills a lane. */
#if defined(__AVX2__)
enum { OPFORGE_LANES = 4 };
typedef uint64_t opforge_lanes __attribute__((vector_size(32)));
static inline opforge_lanes opforge_products(opforge_lanes a, uint32_t b) {
    return (opforge_lanes)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x(b));
}
#elif defined(__SSE2__)
enum { OPFORGE_LANES = 2 };
typedef uint64_t opforge_lanes __attribute__((vector_size(16)));
static inline opforge_lanes opforge_products(opforge_lanes a, uint32_t b) {
    return (opforge_lanes)_mm_mul_epu32((__m128i)a, _mm_set1_epi64x(b));
}
#else
enum { OPFORGE_LANES = 1 };
typedef uint64_t opforge_lanes;
static inline opforge_lanes opforge_products(opforge_lanes a, uint32_t b) {
    return (a & 0xFFFFFFFFu) * (uint64_t)b;
}
#endif

typedef union {
    opforge_lanes lanes[OPFORGE_BATCH_BLOCKS / OPFORGE_LANES];
    uint64_t words[OPFORGE_BATCH_BLOCKS];
} opforge_words;

/* out[word * OPFORGE_BATCH_BLOCKS + k] is word `word` of block batch * OPFORGE_BATCH_BLOCKS + k. */
static inline void opforge_philox(uint64_t key, uint64_t batch, uint64_t purpose, uint32_t* out) {
    opforge_words c0, c1, c2, c3;
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    uint64_t first = batch * OPFORGE_BATCH_BLOCKS;
    for (int i = 0; i < OPFORGE_BATCH_BLOCKS; i++) {
        c0.words[i] = (uint32_t)first + i; /* `first` is a multiple of 16: no carry */
        c1.words[i] = first >> 32;
        c2.words[i] = (uint32_t)purpose;
        c3.words[i] = purpose >> 32;
    }
    for (int round = 0; round < 10; round++) {
        /* The upper halves that the products leave in a lane are never read. */
        for (int i = 0; i < OPFORGE_BATCH_BLOCKS / OPFORGE_LANES; i++) {
            opforge_lanes p0 = opforge_products(c0.lanes[i], 0xD2511F53u);
            opforge_lanes p1 = opforge_products(c2.lanes[i], 0xCD9E8D57u);
            c0.lanes[i] = (p1 >> 32) ^ c1.lanes[i] ^ (uint64_t)k0;
            c2.lanes[i] = (p0 >> 32) ^ c3.lanes[i] ^ (uint64_t)k1;
            c1.lanes[i] = p1;
            c3.lanes[i] = p0;
        }
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    for (int i = 0; i < OPFORGE_BATCH_BLOCKS; i++) {
        out[i] = (uint32_t)c0.words[i];
        out[OPFORGE_BATCH_BLOCKS + i] = (uint32_t)c1.words[i];
        out[2 * OPFORGE_BATCH_BLOCKS + i] = (uint32_t)c2.words[i];
        out[3 * OPFORGE_BATCH_BLOCKS + i] = (uint32_t)c3.words[i];
    }
}

/* Return the upper 64 bits of a * b, which map a random word uniformly to [0, b). */
static inline uint64_t opforge_high_product(uint64_t a, uint64_t b) {
    return (uint64_t)(((unsigned __int128)a * b) >> 64);
}

#endif
