/* Prefetching of rows during a computation on others.
 *
 * Processors foresee addresses within a row, but not where the next rows are. Instructions that fetch them should be
 * spread over the computation: many at once delay its own reads. Valid C11 and C++. */
#ifndef OPFORGE_FETCH_H
#define OPFORGE_FETCH_H

#include "simd.h"

enum { OF_LINE = 64 }; /* bytes of a cache line */

/* Rows to fetch into the L2 cache; nothing if all fields are 0. */
typedef struct of_fetch {
    const char *row, *end;
    int64_t step, lines, line; /* bytes between rows; cache lines of a row; the next of them */
    int64_t each;              /* lines to fetch at a time */
} of_fetch;

/* Return the state with which `times` calls of of_fetch_some fetch `count` rows of some bytes. */
OF_INLINE of_fetch of_fetch_rows(const void* rows, int64_t step, int64_t count, int64_t bytes, int64_t times) {
    of_fetch fetch;
    fetch.row = (const char*)rows;
    fetch.end = fetch.row + count * step;
    fetch.step = step;
    fetch.lines = (bytes + OF_LINE - 1) / OF_LINE;
    fetch.line = 0;
    fetch.each = times > 0 ? (count * fetch.lines + times - 1) / times : 0;
    return fetch;
}

OF_INLINE void of_fetch_some(of_fetch* fetch) {
    for (int64_t i = 0; i < fetch->each && fetch->row < fetch->end; i++) {
        __builtin_prefetch(fetch->row + fetch->line * OF_LINE, 0, 2);
        if (++fetch->line < fetch->lines) continue;
        fetch->line = 0;
        fetch->row += fetch->step;
    }
}

#endif
