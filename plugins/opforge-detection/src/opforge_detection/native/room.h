/* Memory that a function divides into arrays, each aligned to 64 bytes. With NULL as the memory, `at`
 * counts the bytes that the arrays need. */
#ifndef DETECTION_ROOM_H
#define DETECTION_ROOM_H

#include <stdint.h>

typedef struct room {
    char* memory;
    int64_t at;
} room;

static inline void* take(room* r, int64_t bytes) {
    char* found = r->memory == NULL ? NULL : r->memory + r->at;
    r->at += (bytes + 63) / 64 * 64;
    return found;
}

#endif
