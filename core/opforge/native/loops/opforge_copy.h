/* Copies of contiguous memory through vector registers.
 *
 * glibc's memcpy uses `rep movsb` from 2 KB to about 512 KB. On AMD processors its throughput drops from
 * 45 to 3 GB/s if (dst - src) mod 4096 is small and not a multiple of 32, which is typical when copying
 * between a page-aligned array and a 16-byte-aligned NumPy array. A plain loop has no such case.
 *
 * Streaming stores are for results that would not fit into the cache. */
#ifndef OPFORGE_COPY_H
#define OPFORGE_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "opforge_stores.h"

#define OF_COPY_AHEAD 1024 /* bytes of prefetch distance, enough to hide the latency of memory */

#ifdef __SSE2__
#define OF_COPY_LINE 64

/* Bytes from `address` to the next multiple of `step`, but at most `n`. */
static inline size_t of_copy_to_boundary(const void *address, size_t step, size_t n) {
    size_t left = (step - ((uintptr_t)address & (step - 1))) & (step - 1);
    return left < n ? left : n;
}

static inline void of_copy(void *dst, const void *src, size_t n) {
    char *d = (char *)dst;
    const char *s = (const char *)src;
    if (n < 2048) { /* memcpy uses registers here as well, with less overhead */
        memcpy(d, s, n);
        return;
    }
    size_t i = of_copy_to_boundary(d, 16, n);
    memcpy(d, s, i);
    for (; i + OF_COPY_LINE <= n; i += OF_COPY_LINE) {
        __m128i a = _mm_loadu_si128((const __m128i *)(s + i));
        __m128i b = _mm_loadu_si128((const __m128i *)(s + i + 16));
        __m128i c = _mm_loadu_si128((const __m128i *)(s + i + 32));
        __m128i e = _mm_loadu_si128((const __m128i *)(s + i + 48));
        _mm_store_si128((__m128i *)(d + i), a);
        _mm_store_si128((__m128i *)(d + i + 16), b);
        _mm_store_si128((__m128i *)(d + i + 32), c);
        _mm_store_si128((__m128i *)(d + i + 48), e);
    }
    memcpy(d + i, s + i, n - i);
}
#else
static inline void of_copy(void *dst, const void *src, size_t n) { memcpy(dst, src, n); }
#endif

/* Like of_copy, with streaming stores; call of_stream_fence after a series of these. */
static inline void of_copy_stream(void *dst, const void *src, size_t n) {
    of_stream_ahead((const char *)src, (char *)dst, (ptrdiff_t)n, (const char *)src + OF_COPY_AHEAD);
}

#endif
