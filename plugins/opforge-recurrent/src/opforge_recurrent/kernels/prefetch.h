/* Prefetching of cache lines that will be written while another core may own them. */
#ifndef OPFORGE_RNN_PREFETCH_H
#define OPFORGE_RNN_PREFETCH_H

#include <opforge/simd.h>

/* Compilers emit a read prefetch if the instruction set does not guarantee prefetchw; all x86-64 processors
 * execute it or ignore it. */
OF_INLINE void prefetch_write(const void* p) {
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char*)p));
#else
    __builtin_prefetch(p, 1);
#endif
}

#endif
