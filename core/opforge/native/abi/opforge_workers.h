/* Allocation of worker indices to the parts of a loop. Only parts that run concurrently need different
 * workers, so a part takes the first free index and returns it, independently of the thread it runs on. */
#ifndef OPFORGE_WORKERS_H
#define OPFORGE_WORKERS_H

#include <stdint.h>

/* Returns the index of a free worker, which is reserved until released. If a thread that is about to retire
 * still takes part in the loop, there may be none: then this waits until another part ends. */
static inline int32_t opforge_acquire_worker(char* busy, int32_t count) {
    for (;;) {
        for (int32_t i = 0; i < count; i++) {
            if (!__atomic_test_and_set(&busy[i], __ATOMIC_ACQUIRE)) return i;
        }
    }
}

static inline void opforge_release_worker(char* busy, int32_t index) {
    __atomic_clear(&busy[index], __ATOMIC_RELEASE);
}

/* Records a status; the first nonzero one is kept. */
static inline void opforge_record_status(int32_t* status, int32_t value) {
    int32_t none = 0;
    __atomic_compare_exchange_n(status, &none, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static inline int32_t opforge_status(const int32_t* status) {
    return __atomic_load_n(status, __ATOMIC_RELAXED);
}

#endif
