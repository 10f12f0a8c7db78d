/* Counter-based random numbers (Philox4x32-10): a block is a function of its key and its number, so any
 * part of a stream can be made anywhere. A batch is LANE blocks, computed side by side. */
#ifndef OPFORGE_RANDOM_H
#define OPFORGE_RANDOM_H

#include <Python.h>
#include <math.h>
#include <stdint.h>

enum {
    OPFORGE_BATCH_BLOCKS = 16,
    OPFORGE_BATCH = 64 /* 32-bit words of a batch */
};

/* Fill `count` elements from batch `batch` of the stream on; [0] is float32 (OPFORGE_BATCH elements a
 * batch), [1] float64 (half as many). a, b: low and high, or mean and standard deviation. */
typedef void (*opforge_fill_fn)(void* y, Py_ssize_t count, uint64_t key, uint64_t batch, double a,
                                double b);
typedef struct {
    opforge_fill_fn uniform[2], normal[2];
} opforge_random_table;

/* out[word * BLOCKS + k] is word `word` of block (batch * BLOCKS + k). */
static inline void opforge_philox(uint64_t key, uint64_t batch, uint64_t purpose, uint32_t* out) {
    uint32_t c0[OPFORGE_BATCH_BLOCKS], c1[OPFORGE_BATCH_BLOCKS];
    uint32_t c2[OPFORGE_BATCH_BLOCKS], c3[OPFORGE_BATCH_BLOCKS];
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    uint64_t first = batch * OPFORGE_BATCH_BLOCKS;
    for (int i = 0; i < OPFORGE_BATCH_BLOCKS; i++) {
        c0[i] = (uint32_t)first + i; /* `first` is a multiple of 16: no carry */
        c1[i] = (uint32_t)(first >> 32);
        c2[i] = (uint32_t)purpose;
        c3[i] = (uint32_t)(purpose >> 32);
    }
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < OPFORGE_BATCH_BLOCKS; i++) {
            uint64_t p0 = (uint64_t)c0[i] * 0xD2511F53u, p1 = (uint64_t)c2[i] * 0xCD9E8D57u;
            uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1[i] ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c3[i] ^ k1;
            c1[i] = (uint32_t)p1;
            c3[i] = (uint32_t)p0;
            c0[i] = n0;
            c2[i] = n2;
        }
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    for (int i = 0; i < OPFORGE_BATCH_BLOCKS; i++) {
        out[i] = c0[i];
        out[OPFORGE_BATCH_BLOCKS + i] = c1[i];
        out[2 * OPFORGE_BATCH_BLOCKS + i] = c2[i];
        out[3 * OPFORGE_BATCH_BLOCKS + i] = c3[i];
    }
}

/* Upper 64 bits of a * b: maps a random word evenly onto [0, b). */
static inline uint64_t opforge_high_product(uint64_t a, uint64_t b) {
    return (uint64_t)(((unsigned __int128)a * b) >> 64);
}

#endif
