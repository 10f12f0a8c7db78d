/* Who of a loop's workers is free. Only parts that run at once need different workers, so that a part
 * takes the first free one and gives it back; no thread has to know which one it is. */
#ifndef OPFORGE_WORKERS_H
#define OPFORGE_WORKERS_H

#include <stdint.h>

/* The index of a worker that nobody else has until it is given back. A part waits where a thread that
 * was to retire still takes part in a loop; another part ends meanwhile. */
static inline int32_t opforge_take_worker(char* busy, int32_t count) {
    for (;;) {
        for (int32_t i = 0; i < count; i++) {
            if (!__atomic_test_and_set(&busy[i], __ATOMIC_ACQUIRE)) return i;
        }
    }
}

static inline void opforge_give_worker(char* busy, int32_t index) {
    __atomic_clear(&busy[index], __ATOMIC_RELEASE);
}

/* The first status that is not 0 stays. */
static inline void opforge_note_status(int32_t* status, int32_t value) {
    int32_t none = 0;
    __atomic_compare_exchange_n(status, &none, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static inline int32_t opforge_status(const int32_t* status) {
    return __atomic_load_n(status, __ATOMIC_RELAXED);
}

#endif
