/* Lines that are going to be written, while another processor may still have them. */
#ifndef OPFORGE_RNN_FETCHING_H
#define OPFORGE_RNN_FETCHING_H

#include "activations.h"

/* Compilers ask for lines to be read where the instruction set does not promise the other kind, which x86-64
 * processors all have or take for none. */
FORCE_INLINE void fetch_to_write(const void* p) {
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char*)p));
#else
    __builtin_prefetch(p, 1);
#endif
}

#endif
