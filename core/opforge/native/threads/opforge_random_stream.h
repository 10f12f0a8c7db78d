// The position of a stream of random numbers; `streams` gives each thread one.
#ifndef OPFORGE_RANDOM_STREAM_H
#define OPFORGE_RANDOM_STREAM_H

#include <stdint.h>

#include "opforge_tls.h"

typedef struct {
  uint64_t key, counter, children;  // children: streams of tasks that were derived from it
  uint64_t age;                     // of the process's seed that it derives from
  int own;                          // seeded by its thread, or a task's: no later seed replaces it
} opforge_stream;

#endif
