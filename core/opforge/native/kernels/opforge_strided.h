/* Copies of elements that are not adjacent, by element size, and the table that each instruction set fills.
 *
 * Loops with the most frequent steps as constants are vectorized by the compiler. */
#ifndef OPFORGE_STRIDED_H
#define OPFORGE_STRIDED_H

#include <stddef.h>
#include <stdint.h>

/* dst[i * dst_step] = src[i * src_step] for i < n; steps count elements. */
typedef void (*opforge_run_fn)(const void *src, ptrdiff_t src_step, void *dst, ptrdiff_t dst_step, ptrdiff_t n);
/* dst[i * times + j] = src[i] for i < n and j < times. */
typedef void (*opforge_repeat_fn)(const void *src, void *dst, ptrdiff_t times, ptrdiff_t n);

typedef struct {
    opforge_run_fn run[4]; /* for elements of 1, 2, 4 and 8 bytes */
    opforge_repeat_fn repeat[4];
} opforge_strided_table;

#define OF_RUN_LOOP(FROM, TO) \
    for (ptrdiff_t i = 0; i < n; i++) y[i * (TO)] = x[i * (FROM)];

#define OF_REPEAT_LOOP(TIMES)             \
    for (ptrdiff_t i = 0; i < n; i++)     \
        for (ptrdiff_t j = 0; j < (TIMES); j++) y[i * (TIMES) + j] = x[i];

#define OF_STRIDED_LOOPS(T, BITS)                                                                          \
    static void of_run_##BITS(const void *src, ptrdiff_t from, void *dst, ptrdiff_t to, ptrdiff_t n) {     \
        const T *restrict x = src;                                                                         \
        T *restrict y = dst;                                                                               \
        if (to == 1 && from == 0) OF_RUN_LOOP(0, 1)                                                        \
        else if (to == 1 && from == -1) OF_RUN_LOOP(-1, 1)                                                 \
        else if (to == 1 && from == 2) OF_RUN_LOOP(2, 1)                                                   \
        else if (to == 1 && from == 3) OF_RUN_LOOP(3, 1)                                                   \
        else if (to == 1 && from == 4) OF_RUN_LOOP(4, 1)                                                   \
        else if (to == 2 && from == 1) OF_RUN_LOOP(1, 2)                                                   \
        else OF_RUN_LOOP(from, to)                                                                         \
    }                                                                                                      \
    static void of_repeat_##BITS(const void *src, void *dst, ptrdiff_t times, ptrdiff_t n) {               \
        const T *restrict x = src;                                                                         \
        T *restrict y = dst;                                                                               \
        if (times == 2) OF_REPEAT_LOOP(2)                                                                  \
        else if (times == 3) OF_REPEAT_LOOP(3)                                                             \
        else if (times == 4) OF_REPEAT_LOOP(4)                                                             \
        else OF_REPEAT_LOOP(times)                                                                         \
    }

OF_STRIDED_LOOPS(uint8_t, 8)
OF_STRIDED_LOOPS(uint16_t, 16)
OF_STRIDED_LOOPS(uint32_t, 32)
OF_STRIDED_LOOPS(uint64_t, 64)

static const opforge_strided_table of_strided_kernels = {
    {of_run_8, of_run_16, of_run_32, of_run_64}, {of_repeat_8, of_repeat_16, of_repeat_32, of_repeat_64}};

#endif
