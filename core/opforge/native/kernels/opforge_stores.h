/* Stores that go past the caches: no line is read before it is written, none of use is evicted. */
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
    for (int at = 0; at < 64; at += 32)
        _mm256_stream_si256((__m256i *)(y + at), _mm256_loadu_si256((const __m256i *)(x + at)));
#else
    for (int at = 0; at < 64; at += 16)
        _mm_stream_si128((__m128i *)(y + at), _mm_loadu_si128((const __m128i *)(x + at)));
#endif
}
#endif

/* Copies x to y; whole lines of y are streamed, what is before and behind them is stored plainly.
 * Meanwhile as many bytes at `next` are fetched, which need not be there: memory that only takes
 * stores, or only gives loads, is half used. NULL: nothing is fetched. */
static inline void of_stream_ahead(const char *x, char *y, ptrdiff_t nbytes, const char *next) {
#ifdef __SSE2__
    ptrdiff_t head = (ptrdiff_t)(-(uintptr_t)y & 63), at;
    if (head > nbytes) head = nbytes;
    if (head) memcpy(y, x, (size_t)head);
    for (at = head; at + 64 <= nbytes; at += 64) {
        if (next) _mm_prefetch(next + at, _MM_HINT_T0);
        of_stream_line(y + at, x + at);
    }
    if (at < nbytes) memcpy(y + at, x + at, (size_t)(nbytes - at));
#else
    (void)next;
    memcpy(y, x, (size_t)nbytes);
#endif
}

/* The same for a tile that lies in the first-level cache. */
static inline void of_stream(const char *tile, char *y, ptrdiff_t nbytes) {
    of_stream_ahead(tile, y, nbytes, NULL);
}

/* Streamed stores are seen by others only in the order that a fence gives them. */
static inline void of_stream_fence(void) {
#ifdef __SSE2__
    _mm_sfence();
#endif
}

#endif
