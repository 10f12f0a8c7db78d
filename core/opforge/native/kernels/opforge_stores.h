/* Non-temporal stores, which bypass the caches: lines are not read before they are written, and no useful line is
 * evicted. */
#ifndef OPFORGE_STORES_H
#define OPFORGE_STORES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#ifdef __SSE2__
static inline void of_stream_line(char *y, const char *x) {
#if defined(__AVX512F__)
    _mm512_stream_si512((void *)y, _mm512_loadu_si512(x));
#elif defined(__AVX__)
    for (int i = 0; i < 64; i += 32)
        _mm256_stream_si256((__m256i *)(y + i), _mm256_loadu_si256((const __m256i *)(x + i)));
#else
    for (int i = 0; i < 64; i += 16)
        _mm_stream_si128((__m128i *)(y + i), _mm_loadu_si128((const __m128i *)(x + i)));
#endif
}
#endif

/* Copy x to y, full cache lines of y with non-temporal stores and the rest with ordinary ones. Meanwhile prefetch
 * as many bytes from `next`, which may be an invalid address, because only mixed loads and stores use the full
 * memory bandwidth. With `next` NULL, nothing is prefetched. */
static inline void of_stream_ahead(const char *x, char *y, ptrdiff_t nbytes, const char *next) {
#ifdef __SSE2__
    ptrdiff_t head = (ptrdiff_t)(-(uintptr_t)y & 63), i;
    if (head > nbytes) head = nbytes;
    if (head) memcpy(y, x, (size_t)head);
    for (i = head; i + 64 <= nbytes; i += 64) {
        if (next) _mm_prefetch(next + i, _MM_HINT_T0);
        of_stream_line(y + i, x + i);
    }
    if (i < nbytes) memcpy(y + i, x + i, (size_t)(nbytes - i));
#else
    (void)next;
    memcpy(y, x, (size_t)nbytes);
#endif
}

/* Copy a tile from the L1 cache, without prefetching. */
static inline void of_stream(const char *tile, char *y, ptrdiff_t nbytes) {
    of_stream_ahead(tile, y, nbytes, NULL);
}

/* Order non-temporal stores before later stores, so that other threads see them. */
static inline void of_stream_fence(void) {
#ifdef __SSE2__
    _mm_sfence();
#endif
}

#endif
