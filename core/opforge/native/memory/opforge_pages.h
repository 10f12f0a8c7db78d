/* Large pages for large blocks, where the system has them on request. */
#ifndef OPFORGE_PAGES_H
#define OPFORGE_PAGES_H

#include <stddef.h>
#include <sys/mman.h>

static inline void opforge_ask_for_huge_pages(char* start, size_t size) {
#ifdef MADV_HUGEPAGE
    size_t before = -(size_t)start & 4095;
    madvise(start + before, (size - before) & ~(size_t)4095, MADV_HUGEPAGE);
#else
    (void)start, (void)size;
#endif
}

#endif
