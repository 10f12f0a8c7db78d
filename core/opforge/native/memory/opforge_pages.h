/* Returns pages to the system, and requests large pages where it offers them. */
#ifndef OPFORGE_PAGES_H
#define OPFORGE_PAGES_H

#include <stddef.h>
#include <sys/mman.h>

/* Call madvise for the full pages within [start, start + size). */
static inline void opforge_advise(char* start, size_t size, int advice) {
    size_t before = -(size_t)start & 4095;
    if (size > before) madvise(start + before, (size - before) & ~(size_t)4095, advice);
}

/* Return the pages to the system; their contents are lost. */
static inline void opforge_give_back(char* start, size_t size) { opforge_advise(start, size, MADV_DONTNEED); }

static inline void opforge_ask_for_huge_pages(char* start, size_t size) {
#ifdef MADV_HUGEPAGE
    opforge_advise(start, size, MADV_HUGEPAGE);
#else
    (void)start, (void)size;
#endif
}

#endif
