/* Stores that go past the caches: no line is read before it is written, none of use is evicted. */
#ifndef OPFORGE_STREAM_H
#define OPFORGE_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

/* Copies a tile that lies in the first-level cache; whole lines of y are streamed, what is before
 * and behind them is stored plainly. */
static inline void of_stream(const char *tile, char *y, ptrdiff_t nbytes) {
#ifdef __SSE2__
    ptrdiff_t head = (ptrdiff_t)(-(uintptr_t)y & 63);
    if (head > nbytes) head = nbytes;
    if (head) memcpy(y, tile, (size_t)head);
    for (tile += head, y += head, nbytes -= head; nbytes >= 64; tile += 64, y += 64, nbytes -= 64) {
#if defined(__AVX512F__)
        _mm512_stream_si512((void *)y, _mm512_loadu_si512(tile));
#elif defined(__AVX__)
        for (int at = 0; at < 64; at += 32)
            _mm256_stream_si256((__m256i *)(y + at), _mm256_loadu_si256((const __m256i *)(tile + at)));
#else
        for (int at = 0; at < 64; at += 16)
            _mm_stream_si128((__m128i *)(y + at), _mm_loadu_si128((const __m128i *)(tile + at)));
#endif
    }
#endif
    if (nbytes) memcpy(y, tile, (size_t)nbytes);
}

/* Streamed stores are seen by others only in the order that a fence gives them. */
static inline void of_stream_fence(void) {
#ifdef __SSE2__
    _mm_sfence();
#endif
}

#endif
