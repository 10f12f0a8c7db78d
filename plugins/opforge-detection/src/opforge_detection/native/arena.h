/* Memory that is divided into arrays aligned to 64 bytes. With `memory` NULL, `offset` counts the bytes needed. */
#ifndef DETECTION_ARENA_H
#define DETECTION_ARENA_H

#include <stdint.h>

typedef struct arena {
    char* memory;
    int64_t offset;
} arena;

static inline void* arena_take(arena* a, int64_t bytes) {
    char* array = a->memory == NULL ? NULL : a->memory + a->offset;
    a->offset += (bytes + 63) / 64 * 64;
    return array;
}

#endif
